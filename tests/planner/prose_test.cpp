// Texts without a list that were read wrongly once, and their siblings: each is read as it is
// meant, or refused.
#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "planner/limits.hpp"
#include "planner/text_reading.hpp"

using namespace troupe::planner;

namespace {

struct read_row {
  std::string_view text;
  std::string_view tasks; ///< With " | " between them. Empty: it is one task.
  edge_set edges;         ///< Of positions, from 0.
};

// clang-format off
const auto read_rows = std::to_array<read_row>({
    {"See Dr. Miller, then go home.", "See Dr. Miller | go home", {{0, 1}}},
    {"Write to Mr. Smith; then call him.", "Write to Mr. Smith | call him", {{0, 1}}},
    {"Buy e.g. rice; cook.", "Buy e.g. rice | cook", {{0, 1}}},
    {"Meet at 5 p.m. in the hall, then go home.", "Meet at 5 p.m. in the hall | go home", {{0, 1}}},
    {"First: buy rice; then: cook.", "buy rice | cook", {{0, 1}}},
    {"First ventilate the room, then paint the wall.", "ventilate the room | paint the wall", {{0, 1}}},
    {"First zest the lemon, then paint the wall.", "zest the lemon | paint the wall", {{0, 1}}},
    {"Hi! Search papers, then write a report. Thanks!", "Search papers | write a report", {{0, 1}}},
    {"Hi Bob,\nsearch papers, then write a report.\nThank you very much, Ann", "search papers | write a report", {{0, 1}}},
    {"To be done:\n- Buy\n- Cook", "Buy | Cook", {}},
    {"Get these things done:\n- Buy\n- Cook", "Buy | Cook", {}},
    {"Take vitamin C. Then eat.", "Take vitamin C | eat", {{0, 1}}},
    {"Read No. 5, then write a review.", "Read No. 5 | write a review", {{0, 1}}},
    {"Read no. 5; write a review.", "Read no. 5 | write a review", {{0, 1}}},
    {"Compare A vs. B, then write a report.", "Compare A vs. B | write a report", {{0, 1}}},
    {"Buy rice, beans, etc. Then cook.", "Buy rice, beans, etc | cook", {{0, 1}}},
    {"Wait approx. 5 minutes, then eat.", "Wait approx. 5 minutes | eat", {{0, 1}}},
    {"Install version 1.2.3. Then run it.", "Install version 1.2.3. | run it", {{0, 1}}},
    {"Open report.pdf. Then print it.", "Open report.pdf | print it", {{0, 1}}},
    {"Open www.example.com. Then log in.", "Open www.example.com | log in", {{0, 1}}},
    {"Meet at 5 p.m. Then go home.", "Meet at 5 p.m. | go home", {{0, 1}}},
    {"Meet Bob Jr. in the hall, then go home.", "Meet Bob Jr. in the hall | go home", {{0, 1}}},
    {"Call Acme Inc. and wait; then pay.", "Call Acme Inc. and wait | pay", {{0, 1}}},
    {"Visit the U.S. Then fly home.", "Visit the U.S. | fly home", {{0, 1}}},
    {"Visit the U.S. embassy, then fly home.", "Visit the U.S. embassy | fly home", {{0, 1}}},
    {"buy rice. then cook it.", "buy rice | cook it", {{0, 1}}},
    {"First buy rice. Cook it. Eat.", "buy rice | Cook it | Eat", {{0, 1}, {1, 2}}},
    {"First, buy rice. Second, cook. Third, eat. Fourth, wash the dishes.", "buy rice | cook | eat | wash the dishes", {{0, 1}, {1, 2}, {2, 3}}},
    {"Buy rice. After that go home.", "Buy rice | go home", {{0, 1}}},
    {"Buy rice. After that, go home.", "Buy rice | go home", {{0, 1}}},
    {"Buy rice or beans; cook.", "Buy rice or beans | cook", {{0, 1}}},
    {"Buy rice; then, finally, cook it.", "Buy rice | cook it", {{0, 1}}},
    {"Please buy rice; then cook it. Please.", "Please buy rice | cook it", {{0, 1}}},
    {"Please buy rice; please cook it.", "Please buy rice | please cook it", {{0, 1}}},
    {"Buy rice; cook. Thanks, Bob", "Buy rice | cook", {{0, 1}}},
    {"Buy rice; cook. Best regards", "Buy rice | cook", {{0, 1}}},
    {"Good morning! Buy rice, then cook it.", "Buy rice | cook it", {{0, 1}}},
    {"Hello! Thanks!", "", {}},
    {"Buy rice\nCook it\nThen eat", "Buy rice | Cook it | eat", {{0, 1}, {1, 2}}},
    {"Buy rice\n\nCook it\n\nThen eat", "Buy rice | Cook it | eat", {{0, 1}, {1, 2}}},
    {"Buy rice -> cook -> eat", "", {}},
    {"Buy rice — then cook it — then eat it.", "Buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
    {"First — buy rice; then — cook.", "buy rice | cook", {{0, 1}}},
    {"Buy rice, then beans, then cook.", "Buy rice | beans | cook", {{0, 1}, {1, 2}}},
    {"Buy rice, cook it, then eat.", "Buy rice, cook it | eat", {{0, 1}}},
    {"Buy rice, then cook it and eat it.", "Buy rice | cook it and eat it", {{0, 1}}},
    {"Buy rice, then cook it, and finally eat it.", "Buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
    {"Buy rice and then cook it and then eat it", "Buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
    {"Rock and then roll; eat", "Rock | roll | eat", {{0, 1}, {1, 2}}},
    {"Look back then cook; eat.", "Look back | cook | eat", {{0, 1}, {1, 2}}},
    {"Buy rice so that you can cook, then eat.", "Buy rice so that you can cook | eat", {{0, 1}}},
    {"Buy the first book, then read the first chapter.", "Buy the first book | read the first chapter", {{0, 1}}},
    {"Win the first prize, then go home.", "Win the first prize | go home", {{0, 1}}},
    {"Wait a second, then go on.", "Wait a second | go on", {{0, 1}}},
    {"Do step 2, then step 1.", "Do step 2 | step 1", {{0, 1}}},
    {"Do the laundry; then cook.", "Do the laundry | cook", {{0, 1}}},
    {"Let's buy rice, then cook it.", "Let's buy rice | cook it", {{0, 1}}},
    {"Zuerst Reis kaufen, dann kochen.", "", {}},
    {"Run `make`; then stop.", "Run `make` | stop", {{0, 1}}},
    {"Buy rice!! Then cook!!!", "Buy rice | cook", {{0, 1}}},
    {"Buy rice... Then cook...", "Buy rice | cook", {{0, 1}}},
    {"Buy rice ... then cook", "Buy rice | cook", {{0, 1}}},
    {"Buy rice;cook it;eat", "", {}},
    {"In the morning, buy rice, then cook it.", "In the morning, buy rice | cook it", {{0, 1}}},
    {"Quickly buy rice; carefully cook it.", "Quickly buy rice | carefully cook it", {{0, 1}}},
    {"Daily check the oven; then eat.", "Daily check the oven | eat", {{0, 1}}},
    {"Buy rice 3 times; cook it.", "Buy rice 3 times | cook it", {{0, 1}}},
    {"Ask Bob whether he is hungry; cook.", "Ask Bob whether he is hungry | cook", {{0, 1}}},
    {"Ask Bob what to buy, then buy it.", "Ask Bob what to buy | buy it", {{0, 1}}},
    {"Choose a restaurant, then book a table.", "Choose a restaurant | book a table", {{0, 1}}},
    {"Buy rice by noon, then cook it.", "Buy rice by noon | cook it", {{0, 1}}},
    {"Undo the last step; then cook.", "Undo the last step | cook", {{0, 1}}},
    {"Buy (a) rice, (b) beans; then cook.", "Buy (a) rice, (b) beans | cook", {{0, 1}}},
    {"Email bob@example.com; then call him.", "Email bob@example.com | call him", {{0, 1}}},
    {"Set x = 1; then run it.", "Set x = 1 | run it", {{0, 1}}},
    {"Dinner, then sleep.", "Dinner | sleep", {{0, 1}}},
    {"Hi; buy rice; cook.", "buy rice | cook", {{0, 1}}},
    {"Start with rice, then beans.", "Start with rice | beans", {{0, 1}}},
    {"Start by buying rice; then cook.", "Start by buying rice | cook", {{0, 1}}},
    {"Skip cooking; then eat.", "Skip cooking | eat", {{0, 1}}},
    {"Read pp. 5-7; then write.", "Read pp. 5-7 | write", {{0, 1}}},
    {"Read Fig. 3 and write; then sleep.", "Read Fig. 3 and write | sleep", {{0, 1}}},
    {"Meet Jan. 5 at noon; then go.", "Meet Jan. 5 at noon | go", {{0, 1}}},
    {"Visit Mt. Everest, then go home.", "Visit Mt. Everest | go home", {{0, 1}}},
    {"Meet Prof. Miller. Then go home.", "Meet Prof. Miller | go home", {{0, 1}}},
    {"Buy rice. Wash it. Cook it. Then eat.", "Buy rice | Wash it | Cook it | eat", {{0, 1}, {1, 2}, {2, 3}}},
    {"Buy rice; cook it; serve it; clean the kitchen; go to bed.", "Buy rice | cook it | serve it | clean the kitchen | go to bed", {{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
    {"First buy rice, second cook, third eat.", "buy rice | cook | eat", {{0, 1}, {1, 2}}},
    {"First buy rice, then cook, last eat.", "buy rice | cook, last eat", {{0, 1}}},
    {"Buy rice, in parallel boil water, then cook.", "Buy rice | boil water | cook", {{0, 2}, {1, 2}}},
    {"Buy rice. Then, cook. And then eat.", "Buy rice | cook | eat", {{0, 1}, {1, 2}}},
    {"Buy rice, and afterwards cook it, and lastly eat it.", "Buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
    {"Back up the database, then drop the table.", "Back up the database | drop the table", {{0, 1}}},
    {"Create a branch. Commit the change. Then push it. Finally, open a pull request.", "Create a branch | Commit the change | push it | open a pull request", {{0, 1}, {1, 2}, {2, 3}}},
    {"Deploy to staging and wait for approval; then deploy to production.", "Deploy to staging and wait for approval | deploy to production", {{0, 1}}},
    {"Run the tests. Fix what fails. Run them again. Then commit.", "Run the tests | Fix what fails | Run them again | commit", {{0, 1}, {1, 2}, {2, 3}}},
    {"Send an email to Anna, Bob and Carl; then wait.", "Send an email to Anna, Bob and Carl | wait", {{0, 1}}},
    {"Ask Anna (or Bob); then call.", "Ask Anna (or Bob) | call", {{0, 1}}},
    {"Read https://a.example/x;y=1; then write.", "Read https://a.example/x;y=1 | write", {{0, 1}}},
    {"Write “stop; go” on the wall; then leave.", "Write “stop; go” on the wall | leave", {{0, 1}}},
    {"Write the word 'then'; go home.", "Write the word 'then' | go home", {{0, 1}}},
    {"Count 1, 2, 3; then jump.", "Count 1, 2, 3 | jump", {{0, 1}}},
    {"Open the door; walk in; close it behind you.", "Open the door | walk in | close it behind you", {{0, 1}, {1, 2}}},
    {"Open the door slowly... Then walk in.", "Open the door slowly | walk in", {{0, 1}}},
    {"Walk in, or run; then close the door.", "Walk in, or run | close the door", {{0, 1}}},
    {"Check in, check out, and then leave.", "Check in, check out | leave", {{0, 1}}},
    {"Cook rice, then eat. OK?", "Cook rice | eat", {{0, 1}}},
    {"Cook rice, then eat. Any questions?", "Cook rice | eat", {{0, 1}}},
    {"Buy rice;\ncook it;\neat it.", "Buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
    {"Buy rice,\nthen cook it,\nthen eat it.", "Buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
    {"First buy rice\nThen cook it\nFinally eat it", "buy rice | cook it | eat it", {{0, 1}, {1, 2}}},
});

struct refused_row {
  std::string_view text;
  std::string_view reason;
};
constexpr auto refused_rows = std::to_array<refused_row>({
    {"In parallel, buy rice; boil water. Then cook.", "\"in parallel\" has no task before it"},
    {"In parallel: buy rice; boil water. Then cook.", "\"in parallel\" has no task before it"},
    {"At the same time buy rice and boil water. Then cook.", "\"at the same time\" has no task before it"},
    {"Simultaneously buy rice and boil water. Then cook.", "\"simultaneously\" has no task before it"},
    {"Meanwhile buy rice and boil water. Then cook.", "\"meanwhile\" has no task before it"},
    {"Buy rice; then cook; first eat.", "\"first\" does not stand before the first task"},
    {"Cook rice; then eat; first defrost the peas.", "\"first\" does not stand before the first task"},
    {"Now and then check the oven; eat.", "a task does not begin with \"now\""},
    {"Every now and then look; eat.", "a task does not begin with \"every\""},
    {"Again and then look; eat.", "a task does not begin with \"again\""},
    {"By then cook; eat.", "a task does not begin with \"by\""},
    {"Since then cook; eat.", "a task does not begin with \"since\""},
    {"Be ready by then; eat.", "\"then\" is known only in sentences about numbered or named steps"},
    {"If so, then cook; eat.", "\"if\" is a condition; a plan has none"},
    {"First zest the lemon; paint the wall.", "\"first\" may be a part of the task; put a comma behind it if it is none"},
    {"First aid training, then paint the wall.", "\"first\" may be a part of the task; put a comma behind it if it is none"},
    {"One of these: buy rice; cook.", "it may change the order or the choice of the tasks: \"one of\" is not understood in prose"},
    {"Either buy rice; cook it.", "it may change the order or the choice of the tasks: \"either\" is not understood in prose"},
    {"Buy rice; cook it, in reverse order.", "it may change the order or the choice of the tasks: \"reverse\" is not understood in prose"},
    {"Do any of: a; b.", "it may change the order or the choice of the tasks: \"any of\" is not understood in prose"},
    {"Choose one: buy rice; cook.", "it may change the order or the choice of the tasks: \"choose one\" is not understood in prose"},
    {"Dear all, search papers, then write a report.", "a task does not begin with \"dear\""},
    {"Things I have already done:\n- Buy\n- Cook", "it may change the order or the choice of the steps: \"already\" is not understood above a list"},
    {"Done:\n- Buy\n- Cook", "it may change the order or the choice of the steps: \"done\" is not understood above a list"},
    {"Things to avoid:\n- Buy\n- Cook", "it may change the order or the choice of the steps: \"to avoid\" is not understood above a list"},
    {"John buys rice, then cooks.", "\"cooks\" may be what somebody or something does, and no task"},
    {"Write a script that reads the file, then sort it.", "the task behind \"that\" may belong to what \"that\" begins; write it as a sentence of its own"},
    {"Explain how plants grow, then bloom, then die.", "the task behind \"how\" may belong to what \"how\" begins; write it as a sentence of its own"},
    {"Write a function which opens a socket, then send the data.", "the task behind \"which\" may belong to what \"which\" begins; write it as a sentence of its own"},
    {"Tell Bob to buy rice, then cook it.", "the task behind \"tell\" may belong to what \"tell\" begins; write it as a sentence of its own"},
    {"Wash the car, then wax it. Actually skip the wax.", "a task does not begin with \"actually\""},
    {"Write to J. Smith. Then call him.", "it is not clear whether a sentence ends behind \"j\""},
    {"Write to J. Smith and wait, then call him.", "it is not clear whether a sentence ends behind \"j\""},
    {"Take vitamin C. Eat soup. Then sleep.", "it is not clear whether a sentence ends behind \"c\""},
    {"Buy rice, beans, etc. Cook it. Then eat.", "it is not clear whether a sentence ends behind \"etc\""},
    {"Fetch https://example.com/a.b?c=d;e then parse it; print it.", "\"then\" is known only in sentences about numbered or named steps"},
    {"Meet at 5 p.m. Go home. Then sleep.", "it is not clear whether a sentence ends behind \"p.m\""},
    {"Go to St. Mary, then home.", "it is not clear whether a sentence ends behind \"st\""},
    {"Go to Main St. Buy rice. Then cook.", "it is not clear whether a sentence ends behind \"st\""},
    {"See the dept. list. Then cook.", "it is not clear whether a sentence ends behind \"dept\""},
    {"Meet on 5. May in the hall, then go home.", "it is not clear whether a sentence ends behind \"5\""},
    {"buy rice. cook it. then eat it.", "it is not clear whether a sentence ends behind \"rice\""},
    {"Yahoo! Mail is down. Then restart it.", "\"yahoo\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Search with Yahoo! and write; then send.", "it is not clear whether a sentence ends behind \"yahoo\""},
    {"Say \"stop, then go\", then leave.", "a bracket or quote in it has no other end"},
    {"Say \"stop; then go\"; then leave.", "a bracket or quote in it has no other end"},
    {"Say 'stop, then go', then leave.", "a bracket or quote in it has no other end"},
    {"Cook (boil, then fry), then eat.", "a bracket or quote in it has no other end"},
    {"Buy (rice; beans); then cook.", "a bracket or quote in it has no other end"},
    {"Buy rice (optional), then cook it.", "it may change the order or the choice of the tasks: \"optional\" is not understood in prose"},
    {"Buy rice (done); cook it.", "\"done\" may say that it is done; leave it out then"},
    {"Buy rice; cook it; etc.", "a task does not begin with \"etc\""},
    {"Buy rice; cook it; and so on.", "a task does not begin with \"and\""},
    {"Buy rice; beans; milk.", "\"beans\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Buy rice; beans; then cook.", "\"beans\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Dinner: buy rice; cook it.", "a colon is read only behind a word of order"},
    {"Here is the plan: buy rice; cook it.", "a task does not begin with \"here\""},
    {"Here's the plan. Buy rice. Then cook.", "a task does not begin with \"here's\""},
    {"I need rice. Then cook.", "a task does not begin with \"i\""},
    {"It's late. Then eat.", "a task does not begin with \"it's\""},
    {"Rice is cheap. Then cook it.", "\"is\" makes it a statement; a task says what is to be done"},
    {"Buy rice. Rice is cheap. Then cook it.", "\"is\" makes it a statement; a task says what is to be done"},
    {"The rice is in the cupboard. Then cook it.", "a task does not begin with \"the\""},
    {"First, buy rice. Last, eat.", "a task does not begin with \"last\""},
    {"Buy rice. Last of all, eat. Then sleep.", "\"last of all\" is an order that is not read within a task"},
    {"Buy rice; cook it; eat last.", "\"last\" at the end of a task is not read"},
    {"Buy rice; cook it; but first wash your hands.", "a task does not begin with \"but\""},
    {"Buy rice. Before that, wash. Then cook.", "\"before\" is known only in sentences about numbered or named steps"},
    {"Buy rice. After that meeting, go home. Then sleep.", "\"after\" is known only in sentences about numbered or named steps"},
    {"Buy rice; cook meanwhile; eat.", "\"meanwhile\" is an order that is not read within a task"},
    {"Buy rice. Meanwhile, boil water. Cook it. Eat.", "it may be beside the task before it or after it; write \"Meanwhile\" or \"Then\" before it"},
    {"Buy rice. Meanwhile: boil water; heat oil. Then cook.", "it may be beside the task before it or after it; write \"Meanwhile\" or \"Then\" before it"},
    {"Buy rice; in parallel with that boil water; cook.", "a task does not begin with \"with\""},
    {"Buy rice. At the same time as cooking, wash.", "a task does not begin with \"as\""},
    {"Buy rice and boil water at the same time, then cook.", "\"at the same time\" is known only in sentences about numbered or named steps"},
    {"Buy rice and, in parallel, boil water; cook.", "\"and\" at the end of a task is not read"},
    {"Buy rice while the water boils, then cook.", "\"while\" is known only in sentences about numbered or named steps"},
    {"Buy rice until it is enough; then cook.", "\"until\" is known only in sentences about numbered or named steps"},
    {"Once the rice is there, cook; eat.", "\"once\" is known only in sentences about numbered or named steps"},
    {"When the rice is there, cook it. Then eat.", "\"when\" is known only in sentences about numbered or named steps"},
    {"As soon as you can, buy rice; then cook.", "a task does not begin with \"as\""},
    {"After buying rice, cook it; then eat.", "\"after\" is known only in sentences about numbered or named steps"},
    {"Having bought rice, cook it; then eat.", "a task does not begin with \"having\""},
    {"To cook rice, buy it first; then boil it.", "a task does not begin with \"to\""},
    {"For each file, open it; then close it.", "a task does not begin with \"for\""},
    {"Each day, buy rice; then cook it.", "a task does not begin with \"each\""},
    {"Repeat twice: buy rice; cook.", "it may change the order or the choice of the tasks: \"repeat\" is not understood in prose"},
    {"Buy rice; cook it; repeat.", "it may change the order or the choice of the tasks: \"repeat\" is not understood in prose"},
    {"Buy rice; cook it. Repeat this three times.", "it may change the order or the choice of the tasks: \"repeat\" is not understood in prose"},
    {"Buy rice; cook it; start over.", "it may change the order or the choice of the tasks: \"start over\" is not understood in prose"},
    {"Buy rice; cook it; do it again.", "it may change the order or the choice of the tasks: \"do it again\" is not understood in prose"},
    {"Buy rice; maybe cook it; eat.", "a task does not begin with \"maybe\""},
    {"Buy rice; optionally cook it; eat.", "a task does not begin with \"optionally\""},
    {"Buy rice; cook it if hungry; eat.", "\"if\" is a condition; a plan has none"},
    {"Buy rice; cook it, or else order pizza; eat.", "\"else\" is a condition; a plan has none"},
    {"Buy rice; or beans; cook.", "a task does not begin with \"or\""},
    {"Buy rice; then either cook or fry it; eat.", "it may change the order or the choice of the tasks: \"either\" is not understood in prose"},
    {"Buy only rice; cook it.", "it may change the order or the choice of the tasks: \"only\" is not understood in prose"},
    {"Buy rice, except on Sunday; cook it.", "it may change the order or the choice of the tasks: \"except\" is not understood in prose"},
    {"Buy rice; do not cook it; eat.", "\"do not\" says what is not to be done; a task says what is"},
    {"Buy rice; don't forget the beans; eat.", "\"don't\" says what is not to be done; a task says what is"},
    {"Never mind. Buy rice; then cook.", "\"never\" says what is not to be done; a task says what is"},
    {"Buy rice. Also buy beans. Then cook.", "a task does not begin with \"also\""},
    {"Buy rice. Now cook it. Then eat.", "a task does not begin with \"now\""},
    {"Buy rice. Later cook it. Then eat.", "a task does not begin with \"later\""},
    {"Buy rice. In the end, eat it. Then wash.", "\"in\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Buy rice; cook it later; eat.", "\"later\" at the end of a task is not read"},
    {"Buy rice; eat it at the end; cook it.", "\"at the end\" at the end of a task is not read"},
    {"Cook rice; buy it beforehand; eat.", "\"beforehand\" is an order that is not read within a task"},
    {"Cook rice, having bought it earlier; eat.", "\"earlier\" at the end of a task is not read"},
    {"Cook rice. Buy it in advance. Then eat.", "\"in advance\" at the end of a task is not read"},
    {"Then buy rice; cook.", "\"then\" has no task before it"},
    {"Next, buy rice; then cook.", "\"next\" has no task before it"},
    {"Finally, buy rice; then cook.", "a task follows behind \"finally\""},
    {"Second, buy rice; third, cook.", "\"second\" has no task before it"},
    {"Buy rice; then meanwhile cook it; eat.", "two words of order before one task do not say the same"},
    {"First, then buy rice; cook.", "two words of order before one task do not say the same"},
    {"Buy rice; then first cook it; eat.", "two words of order before one task do not say the same"},
    {"Buy rice. Then what? Cook it.", "a task does not begin with \"what\""},
    {"Can you buy rice, then cook it?", "a task does not begin with \"can\""},
    {"Could you buy rice. Then cook it.", "a task does not begin with \"could\""},
    {"Buy rice; cook it; eat it?", "a question is no task"},
    {"Got rice? Then cook it.", "a question is no task"},
    {"Is it late? Then eat. Then sleep.", "a task does not begin with \"is\""},
    {"Buy rice. Why? Then cook.", "a task does not begin with \"why\""},
    {"Thank you. Buy rice; cook.", "a task does not begin with \"thank you\""},
    {"Buy rice; cook. Thanks,\nBob", "it is not clear whether a sentence ends behind \"thanks\""},
    {"Buy rice and\nbeans, then cook.", "it is not clear whether a sentence ends behind \"and\""},
    {"buy rice\ncook it\nthen eat", "it is not clear whether a sentence ends behind \"rice\""},
    {"Send the report to\nBob, then go home.", "\"bob\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"My plan:\nBuy rice.\nThen cook.", "a task does not begin with \"my\""},
    {"# Dinner\nBuy rice.\nThen cook.", "\"#\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"a. Buy rice\nb. Cook\nThen eat", "it is not clear whether a sentence ends behind \"a\""},
    {"i. Buy rice\nii. Cook it\nThen eat", "it is not clear whether a sentence ends behind \"i\""},
    {"1: Buy rice\n2: Cook\nThen eat", "it is not clear whether a sentence ends behind \"rice\""},
    {"+ Buy rice\n+ Cook\nThen eat", "it is not clear whether a sentence ends behind \"rice\""},
    {"– Buy rice.\n– Cook it.\nThen eat.", "it is not clear whether a sentence ends behind \"rice\""},
    {"Step one: buy rice; step two: cook.", "a colon is read only behind a word of order"},
    {"Read chapters one, second, and third; write.", "a task does not begin with \"and\""},
    {"Take the first, second, and third book; read it.", "\"first\" at the end of a task is not read"},
    {"Do you like rice? Cook it; then eat.", "a task does not begin with \"do you\""},
    {"You should buy rice; then cook it.", "a task does not begin with \"you\""},
    {"Rice must be bought. Then cook it.", "\"must\" makes it a statement; a task says what is to be done"},
    {"We buy rice, then we cook it.", "a task does not begin with \"we\""},
    {"Let's buy rice; then cook it.", "\"let's\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Kaufe Reis; koche ihn.", "\"kaufe\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Kaufe Reis. Dann koche ihn. Danach iss.", "no word says that its sentences are tasks in an order"},
    {"Achète du riz; fais-le cuire; then eat.", "\"achète\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Compra arroz; cocínalo.", "\"compra\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Buy rice; cook it; vice versa.", "it may change the order or the choice of the tasks: \"vice versa\" is not understood in prose"},
    {"Buy rice; cook it; the other way round.", "a task does not begin with \"the\""},
    {"Buy rice; cook it, in this order.", "\"in this order\" is known only in sentences about numbered or named steps"},
    {"In any order, buy rice; boil water.", "\"in any order\" is known only in sentences about numbered or named steps"},
    {"Buy rice; boil water; in any order.", "\"in any order\" is known only in sentences about numbered or named steps"},
    {"Buy rice, boil water, both at once; cook.", "\"at once\" is known only in sentences about numbered or named steps"},
    {"Without buying rice, cook; eat.", "\"without\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Run `make; make install`; then stop.", "a bracket or quote in it has no other end"},
    {"Cut a 5\" board; then paint it.", "a bracket or quote in it has no other end"},
    {"[x] Buy rice\n[ ] Cook\nThen eat", "it is not clear whether a sentence ends behind \"rice\""},
    {"~~Buy rice~~; cook; eat.", "it is marked as struck out; leave it out"},
    {"✓ Buy rice; cook; eat.", "it is marked as done; leave it out"},
    {"Tomorrow buy rice; cook it.", "\"tomorrow\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"On Monday, buy rice; on Tuesday, cook it.", "\"on\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Buy rice. 3 eggs too. Then cook.", "it is not clear whether a sentence ends behind \"rice\""},
    {"Provided that it rains, cook; eat.", "a task does not begin with \"provided\""},
    {"Cook as long as it rains; eat.", "\"as long as\" is a condition; a plan has none"},
    {"Depending on the weather, cook; eat.", "\"depending on\" is a condition; a plan has none"},
    {"Buy rice, unless there is some; cook.", "\"unless\" is a condition; a plan has none"},
    {"Choose between rice and beans; cook.", "it may change the order or the choice of the tasks: \"choose between\" is not understood in prose"},
    {"Only then cook; eat.", "it may change the order or the choice of the tasks: \"only\" is not understood in prose"},
    {"Buy rice and only then cook it; eat.", "it may change the order or the choice of the tasks: \"only\" is not understood in prose"},
    {"Buy rice, but then cook; eat.", "\"but\" at the end of a task is not read"},
    {"Buy rice. So cook it. Then eat.", "a task does not begin with \"so\""},
    {"Buy rice. However, cook it. Then eat.", "a task does not begin with \"however\""},
    {"Buy rice by the time I am home; then cook.", "\"by the time\" is an order that is not read within a task"},
    {"Cook; previously buy rice; eat.", "a task does not begin with \"previously\""},
    {"Eat. But before, cook. Then sleep.", "a task does not begin with \"but\""},
    {"Last week I bought rice. Then cook.", "\"last\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Then again, cook; eat.", "a task does not begin with \"again\""},
    {"Buy rice, and then some; cook.", "a task does not begin with \"some\""},
    {"Buy rice for now, then cook.", "\"now\" at the end of a task is not read"},
    {"Buy rice for now; then cook.", "\"now\" at the end of a task is not read"},
    {"Buy a) rice, b) beans; then cook.", "a bracket or quote in it has no other end"},
    {"Set a: 1; then run it.", "a colon is read only behind a word of order"},
    {"Be at the gate at 10:30; then fly.", "\"be\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Bought rice; then cooked it.", "\"bought\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Dinner. Buy rice; then cook.", "\"dinner\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Dinner; then sleep.", "\"dinner\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Buy rice; hi; cook.", "a task does not begin with \"hi\""},
    {"Whatever. Buy rice; then cook.", "\"whatever\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"First and foremost, buy rice; then cook.", "\"first\" may be a part of the task; put a comma behind it if it is none"},
    {"First things first: buy rice; then cook.", "\"first\" may be a part of the task; put a comma behind it if it is none"},
    {"First thing tomorrow, buy rice; then cook.", "\"first\" may be a part of the task; put a comma behind it if it is none"},
    {"The first thing is to buy rice; then cook.", "a task does not begin with \"the\""},
    {"End by eating; then sleep.", "\"end\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Buy rice 1st; cook 2nd.", "\"1st\" at the end of a task is not read"},
    {"1st, buy rice; 2nd, cook.", "\"1st\" may be a part of the task; put a comma behind it if it is none"},
    {"1st buy rice, 2nd cook, then eat.", "\"1st\" may be a part of the task; put a comma behind it if it is none"},
    {"Buy rice (first) then cook it (second); eat.", "\"first\" does not stand before the first task"},
    {"Between cooking and eating, wash; sleep.", "\"between\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Buy rice, cook it in between; eat.", "\"in between\" is an order that is not read within a task"},
    {"Cook rice concurrently; eat.", "\"concurrently\" is known only in sentences about numbered or named steps"},
    {"Cook rice and eat simultaneously; sleep.", "\"simultaneously\" is known only in sentences about numbered or named steps"},
    {"Ignore this. Buy rice; then cook.", "\"ignore\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"P.S. Buy rice; then cook.", "it is not clear whether a sentence ends behind \"p.s\""},
    {"Buy rice; then cook. P.S. Do not eat.", "it is not clear whether a sentence ends behind \"p.s\""},
    {"Note: buy rice; then cook.", "a colon is read only behind a word of order"},
    {"Meet Prof. Cook, then go home.", "it is not clear whether a sentence ends behind \"prof\""},
    {"Buy rice; then cook: slowly; eat.", "a colon is read only behind a word of order"},
    {"And buy rice; then cook.", "a task does not begin with \"and\""},
    {"Drop the table; but back up before.", "a task does not begin with \"but\""},
    {"Deploy to staging; if the tests pass, deploy to production.", "\"if\" is a condition; a plan has none"},
    {"Deploy to staging; when it works, deploy to production.", "\"when\" is known only in sentences about numbered or named steps"},
    {"Run the tests; fix the bugs; repeat until all is green.", "it may change the order or the choice of the tasks: \"repeat\" is not understood in prose"},
    {"Translate the text to German, then to French, then to Spanish.", "a task does not begin with \"to\""},
    {"Send an email to Anna; Bob; Carl.", "\"bob\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Write \"Then buy rice.\" on the wall; then leave.", "a bracket or quote in it has no other end"},
    {"Write “stop, then go” on the wall; then leave.", "a bracket or quote in it has no other end"},
    {"Count from 1 to 10; then from 10 to 1.", "a task does not begin with \"from\""},
    {"On the one hand, buy rice; on the other hand, cook it.", "\"on\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"In case of rain, stay home; then sleep.", "\"in case\" is a condition; a plan has none"},
    {"In the meantime, buy rice. Then cook.", "\"in the meantime\" has no task before it"},
    {"Anna: buy rice. Bob: cook it. Then eat.", "a colon is read only behind a word of order"},
    {"@anna buy rice; @bob cook it.", "\"@anna\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Chores: buy rice; cook it.", "a colon is read only behind a word of order"},
    {"Task: buy rice; then cook it.", "a colon is read only behind a word of order"},
    {"Not now. Buy rice; then cook.", "a task does not begin with \"not\""},
    {"No, buy rice; then cook.", "a task does not begin with \"no\""},
    {"Yes! Buy rice; then cook.", "a task does not begin with \"yes\""},
    {"Great. Buy rice; then cook.", "\"great\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Well done. Then eat.", "a task does not begin with \"well\""},
    {"Also then buy rice; cook.", "a task does not begin with \"also\""},
    {"Buy rice. Same for beans. Then cook.", "\"same\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Buy rice, then vice versa.", "it may change the order or the choice of the tasks: \"vice versa\" is not understood in prose"},
    {"Buy rice; cook it in the opposite order; eat.", "it may change the order or the choice of the tasks: \"the opposite order\" is not understood in prose"},
    {"Buy rice; cook it; all in parallel.", "\"in parallel\" is known only in sentences about numbered or named steps"},
    {"Buy rice; boil water; both in parallel.", "\"in parallel\" is known only in sentences about numbered or named steps"},
    {"Buy rice; boil water; these two at the same time.", "a task does not begin with \"these\""},
    {"Do the following at the same time; buy rice; boil water.", "\"following\" is known only in sentences about numbered or named steps"},
    {"Do both: buy rice; boil water.", "a colon is read only behind a word of order"},
    {"Do these things: buy rice; boil water.", "it may change the order or the choice of the tasks: \"do these\" is not understood in prose"},
    {"Do this: buy rice; boil water; then cook.", "it may change the order or the choice of the tasks: \"do this\" is not understood in prose"},
    {"Do the following. Buy rice. Then cook.", "\"following\" is known only in sentences about numbered or named steps"},
    {"Do the following in reverse. Buy rice. Then cook.", "\"following\" is known only in sentences about numbered or named steps"},
    {"Please do this. Buy rice. Then cook.", "it may change the order or the choice of the tasks: \"do this\" is not understood in prose"},
    {"Consider this: buy rice; then cook.", "a colon is read only behind a word of order"},
    {"See below. Buy rice. Then cook.", "it may change the order or the choice of the tasks: \"see below\" is not understood in prose"},
    {"Imagine you cook. Then eat.", "\"imagine\" is not known as a verb; write \"First, \" before it if it is a task"},
    {"Cook rice. That's all. Thanks!", "no word says that its sentences are tasks in an order"},
    {"Cook rice, then eat. That is all.", "a task does not begin with \"that\""},
    {"Cook rice, then eat. Good luck!", "\"good\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Cook rice, then eat. Enjoy!", "\"enjoy\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Cook rice, then eat. Do not forget to wash up.", "\"do not\" says what is not to be done; a task says what is"},
    {"Cook rice, then eat. You need 2 kg of rice.", "a task does not begin with \"you\""},
    {"Cook rice, then eat. It is for Bob.", "a task does not begin with \"it\""},
    {"Cook rice, then eat. Cost: 5 euro.", "a colon is read only behind a word of order"},
    {"Cook rice, then eat. Budget 5 euro.", "\"budget\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Cook rice, then eat, then (if hungry) eat again.", "\"if\" is a condition; a plan has none"},
    {"Cook rice, then eat. Deadline is Monday.", "\"is\" makes it a statement; a task says what is to be done"},
    {"Cook rice, then eat. Must be done by noon.", "\"must\" makes it a statement; a task says what is to be done"},
    {"Cook rice, then eat. In that order.", "\"in that order\" is known only in sentences about numbered or named steps"},
    {"Cook rice, then eat. The order does not matter.", "a task does not begin with \"the\""},
    {"Cook rice; eat; the order does not matter.", "a task does not begin with \"the\""},
    {"Cook rice; eat; order is irrelevant.", "\"is\" makes it a statement; a task says what is to be done"},
    {"Cook rice; eat; no matter in which order.", "a task does not begin with \"no\""},
    {"Cook rice; eat (in any order).", "\"in any order\" is known only in sentences about numbered or named steps"},
    {"Cook rice; eat whenever you want.", "\"whenever\" is a condition; a plan has none"},
    {"Cook rice; eat as you go.", "\"as you\" is an order that is not read within a task"},
    {"Buy rice; cook it unless told otherwise.", "\"unless\" is a condition; a plan has none"},
    {"Buy rice; cook it; wash up as you cook.", "\"as you\" is an order that is not read within a task"},
    {"Buy rice; cook it; wash up during that.", "\"during\" is an order that is not read within a task"},
    {"Buy rice; cook it; at any time, wash up.", "\"at\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Buy rice; cook it; wash up any time.", "\"any time\" at the end of a task is not read"},
    {"Buy rice; cook it; wash up in between.", "\"in between\" is an order that is not read within a task"},
    {"Buy rice; cook it; call Bob prior.", "\"prior\" at the end of a task is not read"},
    {"Buy rice; cook it; call Bob in the meantime.", "\"in the meantime\" is an order that is not read within a task"},
    {"Buy rice; cook it; call Bob immediately.", "\"immediately\" at the end of a task is not read"},
    {"Buy rice; cook it; call Bob right away.", "\"right away\" at the end of a task is not read"},
    {"Buy rice; cook it; but call Bob earlier.", "a task does not begin with \"but\""},
    {"Buy rice; cook it; call Bob the day before.", "\"before\" is known only in sentences about numbered or named steps"},
    {"Buy rice; cook it; go back to the first step.", "it may change the order or the choice of the tasks: \"go back to\" is not understood in prose"},
    {"Buy rice; cook it; go to step 1.", "it may change the order or the choice of the tasks: \"go to step\" is not understood in prose"},
    {"Buy rice; cook it; return to the beginning.", "it may change the order or the choice of the tasks: \"to the beginning\" is not understood in prose"},
    {"Buy rice; swap with the next one; eat.", "\"next\" is known only in sentences about numbered or named steps"},
    {"Buy rice; cook it. Do the second first.", "\"first\" at the end of a task is not read"},
    {"Buy rice; cook it. Do the second one before the first one.", "\"before\" is known only in sentences about numbered or named steps"},
    {"Buy rice; cook it; do the former after the latter.", "it may change the order or the choice of the tasks: \"the former\" is not understood in prose"},
    {"Buy rice. Cook it. Eat it. In reverse.", "no word says that its sentences are tasks in an order"},
    {"Buy rice, cook it, reversed; eat.", "it may change the order or the choice of the tasks: \"reversed\" is not understood in prose"},
    {"Buy rice; skip the rest; eat.", "it may change the order or the choice of the tasks: \"the rest\" is not understood in prose"},
    {"Buy rice; cancel that; eat.", "it may change the order or the choice of the tasks: \"cancel that\" is not understood in prose"},
    {"Buy rice; scratch that; buy beans; then cook.", "\"scratch\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Buy rice; no, buy beans; then cook.", "a task does not begin with \"no\""},
    {"Buy rice; sorry, beans; then cook.", "\"sorry\" is not known as a verb; write \"Then\" before it if it is a task"},
    {"Buy rice; I mean beans; then cook.", "a task does not begin with \"i\""},
    {"Buy rice, then\ncook it, then\neat it.", "it is not clear whether a sentence ends behind \"then\""},
    {"First buy rice,\nthen cook it\n(slowly).", "it is not clear whether a sentence ends behind \"it\""},
});
// clang-format on

} // namespace

TEST_CASE("prose is read as it is meant", "[planner][prose]") {
  for (const auto& [text, tasks, edges] : read_rows) {
    CAPTURE(text);
    const auto read = read_text(text);
    CHECK(problems_of(read) == "");
    if (tasks.empty()) {
      CHECK_FALSE(read.is_plan());
      continue;
    }
    std::string names;
    for (const auto& each : read.tasks)
      names += (names.empty() ? "" : " | ") + each.name;
    CHECK(names == tasks);
    CHECK(edges_of(read) == edges);
  }
}

TEST_CASE("prose that may be meant otherwise is refused with its reason", "[planner][prose]") {
  for (const auto& [text, reason] : refused_rows) {
    CAPTURE(text);
    const auto read = read_text(text);
    REQUIRE_FALSE(read.problems.empty());
    CHECK(read.problems.front().reason == reason);
    CHECK_FALSE(read.problems.front().text.empty());
    CHECK_FALSE(read.is_plan());
  }
}

TEST_CASE("a line that says how to do something is the title of the prose below it",
          "[planner][prose]") {
  for (const auto& [text, title, tasks] :
       std::vector<std::tuple<std::string_view, std::string_view, std::size_t>>{
           {"How to cook rice\nFirst buy rice. Then cook it.", "How to cook rice", 2},
           {"How to cook rice\nfirst buy rice; then cook it.", "How to cook rice", 2},
           {"How to cook rice:\nbuy rice; cook it; eat it.", "How to cook rice", 3},
           {"How to cook rice?\r\n\r\nBuy rice; cook it.", "How to cook rice?", 2},
           {"Hi Bob,\nhow to cook rice:\nBuy rice; cook it.", "how to cook rice", 2}}) {
    CAPTURE(text);
    const auto read = read_text(text);
    CHECK(read.is_plan());
    CHECK(read.title == title);
    CHECK(read.tasks.size() == tasks);
    CHECK(objective_of(read).name == title);
  }
  for (const auto* text :
       {"How to learn to\nread books; then write one.", "How to cook rice; buy it; cook it.",
        "How to cook rice. Buy rice; cook it.", "How to cook rice: buy rice; cook it.",
        "Buy rice.\nHow to cook rice\nThen eat it."}) {
    CAPTURE(text);
    CHECK_FALSE(read_text(text).problems.empty());
    CHECK(read_text(text).title.empty());
  }
  CHECK_FALSE(read_text("How to cook rice").is_plan());
}

TEST_CASE("a greeting and thanks are left out, and that is said", "[planner][prose]") {
  using said = std::vector<std::string>;
  CHECK(read_text("Hi! Search papers, then write a report. Thanks!").assumptions
        == said{"the greeting at the beginning is left out: \"Hi!\"",
                "the thanks at the end are left out: \"Thanks!\""});
  CHECK(read_text("Buy rice; cook. Any questions? Kind regards, Bob").assumptions
        == said{"the thanks at the end are left out: \"Kind regards, Bob\"",
                "the question at the end is left out: \"Any questions?\""});
}

TEST_CASE("a guess about prose has no task that is none", "[planner][prose]") {
  for (const auto* text :
       {"In parallel buy rice and boil water.", "Buy rice. Rice is white. Cook it.",
        "My name is Bob. Paint the wall.", "Buy rice and cook it, if hungry",
        "Buy rice and cook it at the same time", "Buy rice and book a flight in reverse order",
        "Then buy rice and cook it", "Buy rice. Cook it?", "Buy rice and cook it later",
        "Buy rice. Beans. Cook them."}) {
    CAPTURE(text);
    CHECK_FALSE(read_text(text, guesses::allowed).problems.empty());
  }
  for (const auto* text : {"First buy rice and cook it", "Buy rice. Cook it.",
                           "Buy rice. Marinate it. Cook it.", "Please buy rice and cook it."}) {
    CAPTURE(text);
    const auto read = read_text(text, guesses::allowed);
    CHECK(read.problems.empty());
    CHECK(read.is_guess == (std::string_view(text) != "Please buy rice and cook it."));
  }
}
