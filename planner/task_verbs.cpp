#include "planner/task_verbs.hpp"

#include <algorithm>
#include <array>

namespace troupe::planner {

namespace {

// clang-format off
constexpr auto verbs = std::to_array<std::string_view>({
    "add", "analyse", "analyze", "answer", "apply", "approve", "arrange", "ask", "assemble", "backup", "bake", "boil", "book", "bring", "build",
    "buy", "calculate", "call", "check", "choose", "clean", "clone", "collect", "combine", "commit", "compare", "compile", "compose", "compute",
    "configure", "confirm", "convert", "cook", "copy", "count", "create", "cut", "decide", "define", "delete", "deliver", "deploy", "describe",
    "design", "develop", "download", "draft", "draw", "drive", "eat", "edit", "email", "estimate", "evaluate", "execute", "explain", "export",
    "extract", "feed", "fetch", "fill", "filter", "find", "fix", "format", "fry", "gather", "generate", "get", "give", "go", "heat", "identify",
    "implement", "import", "inform", "inspect", "install", "investigate", "invite", "leave", "list", "load", "look", "make", "measure", "meet",
    "merge", "migrate", "mix", "monitor", "move", "notify", "open", "order", "organise", "organize", "outline", "pack", "paint", "pay", "pick",
    "plan", "plot", "post", "pour", "prepare", "present", "print", "process", "publish", "pull", "push", "put", "read", "record", "refactor",
    "register", "release", "remove", "rename", "replace", "report", "request", "research", "reserve", "restart", "retrieve", "return", "review",
    "rewrite", "rinse", "run", "save", "scan", "schedule", "search", "select", "sell", "send", "serve", "set", "share", "ship", "show", "sign",
    "sort", "split", "start", "stop", "store", "study", "submit", "summarise", "summarize", "take", "talk", "tell", "test", "train",
    "translate", "try", "turn", "update", "upload", "validate", "verify", "visit", "wait", "wash", "write",
});

/// Nouns that may stand in an enumeration ("buy rice; water; milk") are left out.
constexpr auto more_verbs = std::to_array<std::string_view>({
    "accept", "accompany", "acquire", "activate", "adapt", "adjust", "admire", "adopt", "advise", "align", "allocate", "allow", "alter",
    "amend", "announce", "apologise", "apologize", "appoint", "archive", "assess", "assign", "assist", "attach", "attend", "authorise",
    "authorize", "avoid", "bathe", "beat", "begin", "bend", "blend", "bless", "blow", "borrow", "braid", "brainstorm", "break", "breathe",
    "browse", "buckle", "burn", "calibrate", "cancel", "capture", "carry", "carve", "catch", "categorize", "celebrate", "change", "charge",
    "chew", "chill", "chop", "cite", "clarify", "classify", "clear", "click", "climb", "close", "coat", "come", "commence", "communicate",
    "complete", "compress", "concentrate", "conclude", "conduct", "connect", "consider", "construct", "consult", "consume", "contact",
    "continue", "control", "cool", "coordinate", "correct", "cover", "crawl", "crush", "cure", "customise", "customize", "debug", "declare",
    "decline", "decorate", "decrease", "dedicate", "deep-fry", "defend", "defrost", "demonstrate", "depart", "deposit", "deselect", "destroy",
    "detach", "detect", "determine", "dig", "dilute", "dip", "disable", "disassemble", "disconnect", "discover", "discuss", "disinfect",
    "dismiss", "display", "dispose", "dissolve", "distribute", "divide", "do", "document", "donate", "double-check", "drag", "drain", "drink",
    "drop", "dry", "earn", "educate", "elect", "emphasize", "employ", "empty", "enable", "encourage", "encrypt", "engage", "enlarge", "enroll",
    "ensure", "enter", "entertain", "erase", "escape", "establish", "examine", "exchange", "exercise", "exfoliate", "exit", "expand", "explore",
    "expose", "express", "extend", "familiarize", "fasten", "figure", "finalise", "finalize", "finish", "flatten", "flip", "flush", "fly",
    "focus", "fold", "follow", "forward", "freeze", "fulfil", "garnish", "glue", "grab", "grate", "greet", "grill", "grind", "grow", "guide",
    "hammer", "handle", "hang", "harvest", "help", "hide", "highlight", "hire", "hit", "hold", "illustrate", "immerse", "improve", "include",
    "incorporate", "increase", "indicate", "infuse", "initialise", "initialize", "initiate", "insert", "inspire", "instruct", "integrate",
    "interpret", "interview", "introduce", "invent", "invest", "isolate", "jog", "join", "keep", "knead", "knit", "label", "launch", "lay",
    "lead", "learn", "let", "lift", "link", "listen", "lock", "log", "login", "lookup", "loosen", "lower", "maintain", "manage", "marinate",
    "mark", "marry", "massage", "match", "melt", "memorize", "mention", "mince", "minimize", "mop", "motivate", "mount", "mow", "multiply",
    "navigate", "negotiate", "obey", "observe", "obtain", "offer", "operate", "overwrite", "park", "participate", "pass", "paste", "pause",
    "peel", "perform", "persuade", "place", "plant", "play", "plug", "polish", "ponder", "practice", "practise", "pray", "preheat", "press",
    "prevent", "proceed", "produce", "promote", "pronounce", "proofread", "propose", "protect", "prove", "provide", "purchase", "purify",
    "pursue", "qualify", "quit", "raise", "re-read", "reach", "react", "rebuild", "recall", "receive", "recharge", "recite", "recommend",
    "reconnect", "recover", "recruit", "recycle", "redirect", "reduce", "refill", "reflect", "refresh", "refrigerate", "regroup", "reject",
    "relax", "relocate", "remind", "renew", "renovate", "rent", "repair", "replicate", "reply", "rescue", "reset", "resize", "resolve",
    "respond", "rest", "restore", "restrict", "resume", "rethink", "retry", "reuse", "reveal", "revert", "revise", "rewind", "rid", "ride",
    "rip", "roast", "roll", "rotate", "rub", "sanitize", "saute", "scatter", "scoop", "scrape", "scroll", "scrub", "seal", "season", "secure",
    "see", "seek", "seize", "separate", "settle", "sew", "shake", "shape", "sharpen", "shave", "shoot", "shorten", "shred", "shuffle", "shut",
    "sift", "simmer", "simplify", "sing", "sit", "skip", "slice", "smash", "smooth", "soak", "soften", "solve", "speak", "specify", "spend",
    "spray", "spread", "sprinkle", "squeeze", "stack", "stand", "stay", "steal", "steam", "steep", "stick", "stir", "stitch", "straighten",
    "strain", "strengthen", "stretch", "strip", "stuff", "subscribe", "subtract", "suck", "supervise", "support", "surround", "survey", "sweep",
    "switch", "synchronize", "tackle", "tag", "taste", "teach", "tear", "thank", "thaw", "thicken", "think", "throw", "tidy", "tie", "tighten",
    "tilt", "toss", "touch", "trace", "track", "transfer", "transform", "transport", "travel", "treat", "trim", "tuck", "tune", "twist", "type",
    "unbox", "uncover", "undergo", "understand", "undo", "uninstall", "unload", "unlock", "unpack", "unplug", "unscrew", "unwrap", "upgrade",
    "urge", "use", "utilize", "vacuum", "varnish", "vary", "ventilate", "vote", "wake", "walk", "warm", "warn", "watch", "wear", "weave",
    "weigh", "whisk", "widen", "wipe", "withdraw", "work", "wrap", "zip",
});

/// They may stand before a verb.
constexpr auto manners = std::to_array<std::string_view>({"please", "kindly", "just", "simply"});
// clang-format on

static_assert(std::ranges::is_sorted(verbs)); // for the binary search
static_assert(std::ranges::is_sorted(more_verbs));

bool is_any_verb(std::string_view word) {
  return std::ranges::binary_search(verbs, word) || std::ranges::binary_search(more_verbs, word);
}

} // namespace

std::span<const std::string_view> task_verbs() noexcept {
  return verbs;
}

bool begins_with_task_verb(std::span<const token> words) {
  return !words.empty() && std::ranges::binary_search(verbs, std::string_view(words.front().text));
}

bool begins_like_task(std::span<const token> words) {
  const auto is_manner = [](std::string_view word) {
    return std::ranges::find(manners, word) != manners.end() || word.ends_with("ly");
  };
  if (!words.empty() && !is_any_verb(words.front().text) && is_manner(words.front().text))
    words = words.subspan(1);
  return !words.empty() && is_any_verb(words.front().text);
}

} // namespace troupe::planner
