/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

package com.alibaba.management.internal;

import com.alibaba.management.WispCounterMXBean;
import com.alibaba.wisp.engine.WispEngine;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import sun.management.spi.PlatformMBeanProvider;

/*
 * Brings WispCounterMXBean into the platform MBean server, which finds this class as
 * a service.
 *
 * Protocol: asked once, when the MBean server or a platform MXBean is first needed. In
 * a VM without coroutines it has nothing to offer.
 *
 * Rejected: adding the bean to upstream's own provider (a patch, for what a service
 * file does).
 */
public final class WispMBeanProvider extends PlatformMBeanProvider {
    @Override
    public List<PlatformComponent<?>> getPlatformComponentList() {
        return WispEngine.transparentWispSwitch()
            ? Collections.singletonList(new Counters())
            : Collections.emptyList();
    }

    private static final class Counters implements PlatformComponent<WispCounterMXBean> {
        private final WispCounterMXBean bean = new WispCounters();

        @Override
        public Set<Class<? extends WispCounterMXBean>> mbeanInterfaces() {
            return Collections.singleton(WispCounterMXBean.class);
        }

        @Override
        public Set<String> mbeanInterfaceNames() {
            return Collections.singleton(WispCounterMXBean.class.getName());
        }

        @Override
        public String getObjectNamePattern() {
            return WispCounterMXBean.NAME;
        }

        @Override
        public Map<String, WispCounterMXBean> nameToMBeanMap() {
            return Collections.singletonMap(WispCounterMXBean.NAME, bean);
        }
    }
}
