/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_LOGGING_LOGTAG_EXT_HPP
#define SHARE_VM_LOGGING_LOGTAG_EXT_HPP

// Takes the place of HotSpot's empty extension header: the log tag -Xlog:wisp.

#define LOG_TAG_LIST_EXT \
  LOG_TAG(wisp)

#endif // SHARE_VM_LOGGING_LOGTAG_EXT_HPP
