/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

// The stack pool in isolation: sizes, guard zones, reuse, and what is given back.

#include "precompiled.hpp"

#if defined(LINUX) && defined(AMD64)

#include "runtime/coroutine/coroutineStack.hpp"
#include "runtime/os.hpp"
#include "runtime/safefetch.inline.hpp"
#include "runtime/thread.inline.hpp"
#include "unittest.hpp"

#include <string.h>
#include <sys/mman.h>

// Catches: a stack of another size than asked for, guard zones that can be touched,
// or pages in between that cannot; a pool that mixes sizes or hands one out twice.
TEST_VM(CoroutineStack, allocate_and_release) {
  size_t page = os::vm_page_size();
  size_t guard = JavaThread::stack_guard_zone_size();
  EXPECT_GE(CoroutineStack::size_for(1), guard + page) << "a tiny request gets the minimum";
  EXPECT_GE(CoroutineStack::size_for(3 * M + 1), 3 * M + 1);
  EXPECT_EQ(0u, CoroutineStack::size_for(3 * M + 1) % page);
  EXPECT_GE(CoroutineStack::size_for(0), CoroutineStack::size_for(1));

  const int N = 20;
  address base[N];
  size_t size[N];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) {
      size[i] = CoroutineStack::size_for(i % 2 == 0 ? 512 * K : 4 * M);
      base[i] = CoroutineStack::allocate(size[i]);
      ASSERT_TRUE(base[i] != NULL);
      ASSERT_EQ(0u, (uintptr_t) base[i] % 16);
      for (int j = 0; j < i; j++) {
        ASSERT_TRUE(base[i] <= base[j] - size[j] || base[j] <= base[i] - size[i]) << "two stacks overlap";
      }
      // All but the guard zones can be written, and keeps what was written.
      for (address p = base[i] - size[i] + guard; p < base[i]; p += page) {
        *(int*) p = i;
      }
      {
        ASSERT_EQ(17, SafeFetch32((int*) (base[i] - size[i]), 17)) << "the lowest guard page can be read";
        ASSERT_EQ(17, SafeFetch32((int*) (base[i] - size[i] + guard - page), 17)) << "the highest guard page can be read";
        ASSERT_EQ(i, SafeFetch32((int*) (base[i] - size[i] + guard), 17)) << "the page above the guard zone";
      }
    }
    for (int i = 0; i < N; i++) {
      ASSERT_EQ(i, *(int*) (base[i] - page)) << "a stack was written through another one";
      CoroutineStack::release(base[i], size[i]);
    }
  }
  EXPECT_TRUE(CoroutineStack::allocate((size_t) 1 << 47) == NULL) << "more than there is";
}

// Catches: stacks that stay mapped when nobody needs them, or are unmapped while somebody does;
// a trimmed neighbour that takes a used one with it; a pool in which one size hides another;
// a deep stack that keeps its pages. With the flag on the reaper trims beside the test, so that
// the exact numbers are looked at without it only.
TEST_VM(CoroutineStack, trim) {
  const int N = 3000;
  size_t sizes[2] = { CoroutineStack::size_for(192 * K), CoroutineStack::size_for(640 * K) };
  static address base[N];
  for (int round = 0; round < 4; round++) {
    size_t size = sizes[round % 2];
    for (int periods = 0; periods < 2 && !UseWisp2; periods++) {
      CoroutineStack::begin_period();
      while (CoroutineStack::trim()) {}
    }
    for (int i = 0; i < N; i++) {
      base[i] = CoroutineStack::allocate(size);
      ASSERT_TRUE(base[i] != NULL);
      *(int*) (base[i] - sizeof(int)) = i;
    }
    size_t mapped = CoroutineStack::mapped();
    for (int i = 0; i < N; i++) {
      if (i % 100 != 0) {
        CoroutineStack::release(base[i], size);
      }
    }
    if (!UseWisp2) {
      CoroutineStack::begin_period();
      EXPECT_FALSE(CoroutineStack::trim()) << "they have not waited for a whole period";
      EXPECT_TRUE(CoroutineStack::begin_period());
      while (CoroutineStack::trim()) {}
      EXPECT_LE(CoroutineStack::mapped(), mapped - N / 2 * size);
    }
    for (int i = 0; i < N; i += 100) {
      ASSERT_EQ(i, SafeFetch32((int*) (base[i] - sizeof(int)), -1)) << "a stack in use was trimmed";
      CoroutineStack::release(base[i], size);
    }
  }
  // Waves of two sizes use the same stacks again and again.
  size_t most = 0;
  for (int wave = 0; wave < 20 && !UseWisp2; wave++) {
    size_t size = sizes[wave % 2];
    for (int i = 0; i < N; i++) {
      base[i] = CoroutineStack::allocate(size);
      ASSERT_TRUE(base[i] != NULL);
      *(int*) (base[i] - sizeof(int)) = i;
    }
    for (int i = 0; i < N; i++) {
      ASSERT_EQ(i, *(int*) (base[i] - sizeof(int))) << "two stacks overlap";
      CoroutineStack::release(base[i], size);
    }
    if (wave == 1) {
      most = CoroutineStack::mapped();
    }
  }
  EXPECT_TRUE(UseWisp2 || CoroutineStack::mapped() <= most);

  size_t page = os::vm_page_size();
  const int Deep = 100;
  for (int i = 0; i < Deep; i++) {
    base[i] = CoroutineStack::allocate(sizes[1]);
    ASSERT_TRUE(base[i] != NULL);
    memset(base[i] - 400 * K, 1, 400 * K);
  }
  int kept = 0;
  for (int i = 0; i < Deep; i++) {
    CoroutineStack::release(base[i], sizes[1]);
    unsigned char touched[100];
    ASSERT_TRUE(UseWisp2 || ::mincore(base[i] - 100 * page, 100 * page, touched) == 0);
    EXPECT_TRUE(UseWisp2 || (touched[99] & 1) != 0) << "the page next to the base";
    kept += !UseWisp2 && (touched[0] & 1) != 0 ? 1 : 0;   // one far below
  }
  EXPECT_LE(kept, 16) << "deep stacks that were not noticed";
}

// Catches: a stack that is handed out twice or lost, an older one before a newer one.
TEST_VM(CoroutineStack, recent) {
  const int Max = 64, N = 2 * Max + 1;
  size_t size = CoroutineStack::size_for(0);
  static address base[N];
  RecentStacks recent;
  EXPECT_TRUE(recent.is_empty());
  EXPECT_TRUE(recent.take() == NULL);
  for (int i = 0; i < N; i++) {
    base[i] = CoroutineStack::allocate(size);
    ASSERT_TRUE(base[i] != NULL);
    address left = recent.keep(base[i]);
    ASSERT_EQ(i < Max ? (address) NULL : base[i - Max], left) << "the oldest leaves";
    ASSERT_FALSE(recent.is_empty());
  }
  for (int round = 0; round < 3; round++) {
    for (int i = N - 1; i >= N - Max / 2; i--) {
      ASSERT_EQ(base[i], recent.take());
    }
    for (int i = N - Max / 2; i < N; i++) {
      ASSERT_TRUE(recent.keep(base[i]) == NULL);
    }
  }
  for (int i = N - 1; i >= N - Max; i--) {
    ASSERT_EQ(base[i], recent.take());
  }
  EXPECT_TRUE(recent.is_empty());
  EXPECT_TRUE(recent.take() == NULL);
  if (!UseWisp2) {                     // else others may take stacks meanwhile
    recent.keep(base[0]);
    recent.keep(base[1]);
    recent.release();
    EXPECT_TRUE(recent.is_empty());
    EXPECT_EQ(base[1], CoroutineStack::allocate(size)) << "the newest of them";
    CoroutineStack::give_back(base[1], size);
    EXPECT_EQ(base[0], CoroutineStack::allocate(size)) << "one that was not used is an old one";
    EXPECT_EQ(base[1], CoroutineStack::allocate(size));
  }
  for (int i = 0; i < N; i++) {
    CoroutineStack::release(base[i], size);
  }
}

#endif // LINUX && AMD64
