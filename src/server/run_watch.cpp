#include "server/run_watch.hpp"

#include "wire/run.hpp"

namespace pawl::server {

namespace {

constexpr core::Duration kRunPollInterval = std::chrono::milliseconds{250};
constexpr int kEventsAtOnce = 100;  // each event may contain an output

std::string text_of(const core::RunId& run, const core::RunEvent& event) {
  wire::Writer out;
  wire::write_run_event(out, run, event);
  return out.take();
}

}  // namespace

RunWatch::RunWatch(core::RunApi& runs, engine::RunWatch& news, Auth& auth, Threads threads)
    : runs_(runs), news_(news), auth_(auth), threads_(std::move(threads)), gate_(std::make_shared<Gate>()) {
  gate_->watch = this;
}

RunWatch::~RunWatch() {
  const std::lock_guard lock{gate_->mutex};
  gate_->watch = nullptr;
}

std::shared_ptr<RunWatch::Watcher> RunWatch::begin(const core::RunId& run, engine::RunWatch::Of what,
                                                   Poll how) {
  auto watcher = std::make_shared<Watcher>();
  watcher->poll = std::move(how);
  watcher->owner = FairThreads::owner_here();
  watcher->news_id = news_.watch(run, what, [gate = gate_, weak = std::weak_ptr{watcher}](const core::Run&) {
    const auto watched = weak.lock();
    const std::lock_guard lock{gate->mutex};
    if (watched && gate->watch != nullptr) gate->watch->wake(watched);
  });
  threads_.blocking(watcher->owner, [this, watcher] { poll(watcher); });
  return watcher;
}

void RunWatch::wake(const std::shared_ptr<Watcher>& watcher) {
  {
    const std::lock_guard lock{watcher->mutex};
    if (!watcher->poll) return;
    watcher->has_news = watcher->is_polling;
    if (watcher->is_polling) return;
    watcher->is_polling = true;
    ++watcher->polls;
  }
  threads_.blocking(watcher->owner, [this, watcher] { poll(watcher); });
}

void RunWatch::poll(const std::shared_ptr<Watcher>& watcher) {
  Next next = watcher->poll();
  std::uint64_t number = 0;
  {
    const std::lock_guard lock{watcher->mutex};
    watcher->is_polling = false;
    number = watcher->polls;
    if (std::exchange(watcher->has_news, false) && next == Next::later) next = Next::now;
    if (next == Next::end) watcher->poll = nullptr;
  }
  if (next == Next::end) return news_.unwatch(watcher->news_id);
  if (next == Next::now) return wake(watcher);
  threads_.later(kRunPollInterval, [this, watcher, number] {
    {
      const std::lock_guard lock{watcher->mutex};
      if (watcher->polls != number) return;
    }
    wake(watcher);
  });
}

void RunWatch::await(const core::RunRef& run, core::Duration wait, Done done) {
  const bool has_time = wait > core::Duration{0};
  const auto is_due = std::make_shared<std::atomic<bool>>(!has_time);  // shared with the timer
  const auto watcher =
      begin(run.id, engine::RunWatch::Of::its_end, [this, run, is_due, done = std::move(done)] {
        const bool must_answer = *is_due || is_stopping_;  // first, so that the read is at least that recent
        auto found = runs_.get_run(run);
        const bool goes_on = found && !core::is_closed(found->state) && !must_answer;
        if (!goes_on) done(std::move(found));
        return goes_on ? Next::later : Next::end;
      });
  if (!has_time) return;
  threads_.later(wait, [this, watcher, is_due] {
    *is_due = true;
    wake(watcher);
  });
}

void RunWatch::follow(Request request, From from, std::shared_ptr<EventStream> stream) {
  const core::RunId id = from.run.id;
  begin(id, engine::RunWatch::Of::every_event,
        [this, request = std::move(request), from = std::move(from), stream = std::move(stream)]() mutable {
          if (stream->is_over()) return Next::end;
          const Next next = auth_.allow(request).ok() ? send_events(from, *stream) : Next::end;
          if (next == Next::end) stream->end();
          return next;
        });
}

// If a read fails, the next poll repeats it. Events that do not fit are sent after the client has read the
// buffer.
RunWatch::Next RunWatch::send_events(From& from, EventStream& stream) {
  const auto run = runs_.get_run(from.run);  // before the events, so that the list covers its sequence
  const auto events = runs_.list_run_events({.run = from.run, .after = from.after, .limit = kEventsAtOnce});
  if (!run && run.problem().code == core::ProblemCode::not_found) return Next::end;
  if (!run || !events) return Next::later;
  for (const core::RunEvent& event : *events) {
    const Event sent{.id = std::to_string(event.sequence),
                     .type = std::string{core::to_string(event.type)},
                     .data = text_of(from.run.id, event)};
    if (!stream.has_room(sent)) return Next::later;
    stream.send(sent);
    from.after = event.sequence;
  }
  if (from.after < run->sequence) return Next::now;
  return core::is_closed(run->state) ? Next::end : Next::later;
}

}  // namespace pawl::server
