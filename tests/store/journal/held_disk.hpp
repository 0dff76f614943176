// A disk that a test makes wait.
#pragma once

#include "store/journal/disk.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::testing {

/// A disk whose calls end when the test says so.
class held_disk final : public journal::disk {
public:
  explicit held_disk(journal::disk& of) : of_(of) {}

  bool is_held = false;

  void open(const std::string& name, journal::open_mode how,
            journal::disk_read_done<journal::file_id> done) override {
    of_.open(name, how, std::move(done));
  }
  void close(journal::file_id file) override { of_.close(file); }
  void allocate(journal::file_id file, std::uint64_t size, journal::disk_done done) override {
    of_.allocate(file, size, std::move(done));
  }
  void write(journal::file_id file, std::uint64_t offset, std::string_view bytes,
             journal::disk_done done) override {
    of_.write(file, offset, bytes, std::move(done));
  }
  void sync(journal::file_id file, journal::disk_done done) override {
    of_.sync(file, std::move(done));
  }
  void read(journal::file_id file, std::uint64_t offset, std::size_t size,
            journal::disk_read_done<std::string> done) override {
    of_.read(file, offset, size, std::move(done));
  }
  void size(journal::file_id file, journal::disk_read_done<std::uint64_t> done) override {
    of_.size(file, std::move(done));
  }
  void sync_directory(journal::disk_done done) override { of_.sync_directory(std::move(done)); }
  void rename(const std::string& from, const std::string& to, journal::disk_done done) override {
    of_.rename(from, to, std::move(done));
  }
  void remove(const std::string& name, journal::disk_done done) override {
    of_.remove(name, std::move(done));
  }
  void list(journal::disk_read_done<std::vector<std::string>> done) override {
    of_.list(std::move(done));
  }
  bool turn() override { return !is_held && of_.turn(); }
  bool wait() override { return !is_held && of_.wait(); }

private:
  journal::disk& of_;
};

} // namespace troupe::testing
