/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

#ifndef SHARE_VM_SERVICES_DIAGNOSTICCOMMAND_EXT_HPP
#define SHARE_VM_SERVICES_DIAGNOSTICCOMMAND_EXT_HPP

// Takes the place of HotSpot's empty extension header: there are more jcmd commands,
// and register_dcmds_ext() is in coroutineCommands.cpp.
#define HAVE_EXTRA_DCMD

#endif // SHARE_VM_SERVICES_DIAGNOSTICCOMMAND_EXT_HPP
