/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// When a kernel thread that starts coroutines counts as one that computes, for which a carrier makes room: a clock, a CPU time and waits
// that the test makes up. What carriers do then is in StartedByMain.java.

#include "precompiled.hpp"

#if defined(LINUX) && defined(AMD64)

#include "runtime/coroutine/startSeries.hpp"
#include "runtime/os.hpp"
#include "unittest.hpp"

class StartSeriesTest : AllStatic {
 public:
  enum { Interval = StartSeries::CheckInterval, Min = StartSeries::LongMin, Max = StartSeries::LongMax,
         PauseNanos = StartSeries::LongPauseNanos, EndNanos = StartSeries::LongEndNanos,
         SlowNanos = StartSeries::SlowNanos, FedMin = StartSeries::FedMin };

  static void count(int starter, jlong now)  { StartSeries::count((Thread*) (intptr_t) starter, now); }
  static void check(jlong now, jlong blocked, jlong cpu) { StartSeries::check(now, blocked, cpu); }
  static bool is_long(jlong now)       { return StartSeries::is_long(now); }
  static bool keep_up(jlong waiting, jlong switched, jlong nanos) { return StartSeries::keep_up(waiting, switched, nanos); }
  static int  length()                 { return StartSeries::_state._long; }
  static int  fed()                    { return StartSeries::_state._count; }
  static void forget()                 { StartSeries::count(NULL, 0); }
  static bool is_due()                 { return StartSeries::_state._starts % StartSeries::CheckInterval == 0; }
};

// A thread that starts others.
class Starter {
  int   _id;
  jlong _now;
  jlong _cpu;
  jlong _blocked;

 public:
  Starter(int id) : _id(id), _now(1000 * NANOSECS_PER_SEC), _cpu(0), _blocked(0) {}
  ~Starter()                           { StartSeriesTest::forget(); }      // carriers of this VM look at it, too

  jlong now() const                    { return _now; }
  bool is_long() const                 { return StartSeriesTest::is_long(_now); }
  void preempted(jlong nanos)          { _now += nanos; }
  void computes(jlong nanos)           { _now += nanos; _cpu += nanos; }
  void waits(jlong nanos)              { _now += nanos; _blocked++; }
  void starts(int n, jlong nanos) {
    for (int i = 0; i < n; i++) {
      computes(nanos);
      StartSeriesTest::count(_id, _now);
      if (StartSeriesTest::is_due()) {
        StartSeriesTest::check(_now, _blocked, _cpu);
      }
    }
  }
};

TEST_VM(StartSeries, computes) {
  Starter starter(1);
  starter.starts(StartSeriesTest::Min, 4000);
  EXPECT_FALSE(starter.is_long()) << "the first check is of another thread's";
  EXPECT_GE(StartSeriesTest::fed(), (int) StartSeriesTest::FedMin);
  starter.starts(StartSeriesTest::Interval, 4000);
  EXPECT_TRUE(starter.is_long());
  starter.starts(100000, 4000);
  EXPECT_TRUE(starter.is_long());
  EXPECT_LE(StartSeriesTest::length(), (int) StartSeriesTest::Max);
  starter.preempted(StartSeriesTest::PauseNanos + 1);
  EXPECT_FALSE(starter.is_long()) << "it may wait";
  starter.starts(1, 4000);
  EXPECT_TRUE(starter.is_long()) << "it has been preempted";
  starter.preempted(StartSeriesTest::EndNanos + 1);
  starter.starts(1, 4000);
  EXPECT_FALSE(starter.is_long()) << "whatever it was, it is another series";
  starter.starts(StartSeriesTest::Min + StartSeriesTest::Interval, 4000);
  EXPECT_TRUE(starter.is_long());
}

TEST_VM(StartSeries, preempted) {
  Starter starter(2);
  for (int i = 0; i < 1000; i++) {
    starter.starts(100, 20000);
    starter.preempted(4000 * 1000);    // two thirds of the time
  }
  starter.starts(1, 20000);
  EXPECT_TRUE(starter.is_long());
  EXPECT_EQ((int) StartSeriesTest::Max, StartSeriesTest::length());
  starter.waits(4000 * 1000);          // for a lock, say
  starter.starts(StartSeriesTest::Interval, 20000);
  EXPECT_TRUE(starter.is_long());
  EXPECT_LT(StartSeriesTest::length(), (int) StartSeriesTest::Max);
}

TEST_VM(StartSeries, waits_briefly) {
  Starter starter(7);
  for (int i = 0; i < 1000; i++) {     // a tenth of the time, once or twice in each interval
    starter.starts(50, 4000);
    starter.waits(20 * 1000);
  }
  starter.starts(1, 4000);
  EXPECT_TRUE(starter.is_long());
}

TEST_VM(StartSeries, waits) {
  Starter starter(3);
  for (int i = 0; i < 1000; i++) {     // for each sixteen of them
    starter.starts(16, 4000);
    EXPECT_FALSE(starter.is_long());
    starter.waits(60 * 1000);
  }
  starter.starts(100 * StartSeriesTest::Interval, 4000);
  EXPECT_TRUE(starter.is_long());
  for (int i = 0; i < 10; i++) {       // for each one
    starter.starts(1, 4000);
    starter.waits(20 * 1000);
  }
  starter.starts(StartSeriesTest::Interval, 4000);
  EXPECT_FALSE(starter.is_long());
  EXPECT_LT(StartSeriesTest::fed(), (int) StartSeriesTest::FedMin);
}

TEST_VM(StartSeries, slow) {
  Starter starter(4);
  starter.starts(100000, StartSeriesTest::SlowNanos + 1);
  EXPECT_FALSE(starter.is_long()) << "they take so long that carriers have little to do";
  EXPECT_EQ(0, StartSeriesTest::length());
}

TEST_VM(StartSeries, keep_up) {
  const jlong nap = 200 * 1000;
  EXPECT_TRUE(StartSeriesTest::keep_up(0, 0, nap)) << "nobody is there";
  EXPECT_FALSE(StartSeriesTest::keep_up(1, 0, nap)) << "nobody runs him";
  EXPECT_TRUE(StartSeriesTest::keep_up(400, 100, nap)) << "of 2 us each";
  EXPECT_FALSE(StartSeriesTest::keep_up(4000, 100, nap));
  EXPECT_TRUE(StartSeriesTest::keep_up(10, 2, nap)) << "of 100 us each";
  EXPECT_FALSE(StartSeriesTest::keep_up(40, 2, nap));
}

TEST_VM(StartSeries, two_starters) {
  Starter one(5), other(6);
  for (int i = 0; i < 10000; i++) {
    one.starts(1, 4000);
    other.starts(1, 4000);
    EXPECT_FALSE(one.is_long());
  }
  one.starts(StartSeriesTest::Min + StartSeriesTest::Interval, 4000);
  EXPECT_TRUE(one.is_long());
  other.starts(1, 4000);
  EXPECT_FALSE(other.is_long());
}

#endif // LINUX && AMD64
