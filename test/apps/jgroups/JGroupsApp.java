/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * JGroups: four members in this VM over loopback, by TCP and by UDP multicast: views, ordered messages from every member to all, RPCs,
 * a state transfer, a member that leaves. With use_virtual_threads, which JGroups looks for by reflection, it must fall back on 11.
 */
// options: -Djava.net.preferIPv4Stack=true -Djgroups.bind_addr=127.0.0.1
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Receiver;
import org.jgroups.blocks.MethodCall;
import org.jgroups.blocks.RequestOptions;
import org.jgroups.blocks.ResponseMode;
import org.jgroups.blocks.RpcDispatcher;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TP;
import org.jgroups.util.RspList;
import org.jgroups.util.ThreadCreator;
import org.jgroups.util.Util;
import wisp.apps.App;

public class JGroupsApp {
    static final int MEMBERS = 4, MESSAGES = 300;
    static int port;

    public static class Member implements Receiver {
        final Map<Address, Integer> last = new ConcurrentHashMap<>();
        final AtomicInteger received = new AtomicInteger(), wrong = new AtomicInteger();
        JChannel channel;
        RpcDispatcher rpc;

        @Override
        public void receive(Message m) {
            int n = ((Integer) m.getObject());
            Integer before = last.put(m.getSrc(), n);
            if (n != (before == null ? 0 : before + 1)) {
                wrong.incrementAndGet();
            }
            received.incrementAndGet();
        }

        @Override
        public void getState(OutputStream out) throws Exception {
            new DataOutputStream(out).writeInt(received.get());
        }

        @Override
        public void setState(InputStream in) throws Exception {
            received.set(new DataInputStream(in).readInt());
        }

        public int twice(int n) {
            return 2 * n;
        }
    }

    /** With a dispatcher a channel delivers RPCs only, so they get channels of their own. */
    static Member join(String config, boolean virtual, int port, boolean rpc) throws Exception {
        Member m = new Member();
        m.channel = new JChannel(config);
        TP transport = m.channel.getProtocolStack().getTransport();
        transport.useVirtualThreads(virtual);
        transport.setBindPort(port);
        TCPPING ping = m.channel.getProtocolStack().findProtocol(TCPPING.class);
        if (ping != null) {
            ping.setInitialHosts(List.of(new java.net.InetSocketAddress("127.0.0.1", port)));
            ping.portRange(10);
        }
        if (rpc) {
            m.rpc = new RpcDispatcher(m.channel, m);
        } else {
            m.channel.setReceiver(m);
        }
        m.channel.connect(rpc ? "wisp-rpc" : "wisp");
        return m;
    }

    static void await(List<Member> members, int size) throws Exception {
        for (Member m : members) {
            while (m.channel.getView().size() != size) {
                Thread.sleep(20);
            }
        }
    }

    static List<Member> start(String config, boolean virtual, boolean rpc) throws Exception {
        App.phase(config + (virtual ? ", virtual threads asked for" : ""));
        port = App.freePort();
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            members.add(join(config, virtual, port, rpc));
        }
        await(members, MEMBERS);
        return members;
    }

    static void messages(String config, boolean virtual) throws Throwable {
        List<Member> members = start(config, virtual, false);
        App.phase("messages");
        App.crew(MEMBERS, "sender", i -> {
            for (int n = 0; n < MESSAGES; n++) {
                members.get(i).channel.send(new ObjectMessage(null, n));
            }
        });
        for (Member m : members) {
            while (m.received.get() < MEMBERS * MESSAGES) {
                Thread.sleep(20);
            }
            App.equal(m.wrong.get(), 0, "messages out of order");
        }
        App.phase("a member leaves, another joins");
        Member gone = members.remove(2);
        gone.channel.close();
        await(members, MEMBERS - 1);
        Member late = join(config, virtual, port, false);
        members.add(late);
        await(members, MEMBERS);
        late.channel.getState(null, 60_000);
        App.equal(late.received.get(), MEMBERS * MESSAGES, "state");
        close(members);
    }

    static void close(List<Member> members) {
        App.phase("stop");
        for (Member m : members) {
            m.channel.close();
        }
    }

    static void rpcs(String config, boolean virtual) throws Throwable {
        List<Member> members = start(config, virtual, true);
        App.phase("RPCs");
        App.crew(4 * MEMBERS, "caller", i -> {
            Member m = members.get(i % MEMBERS);
            for (int n = 0; n < 30; n++) {
                MethodCall call = new MethodCall(Member.class.getMethod("twice", int.class), n);
                RspList<Integer> all = m.rpc.callRemoteMethods(null, call, new RequestOptions(ResponseMode.GET_ALL, 120_000));
                App.equal(all.size(), MEMBERS, "answers");
                for (Integer r : all.getResults()) {
                    App.equal(r, 2 * n, "answer of a member");
                }
                Address to = members.get((i + 1) % MEMBERS).channel.getAddress();
                App.equal(m.rpc.<Integer>callRemoteMethod(to, call, RequestOptions.SYNC().timeout(120_000)), 2 * n, "answer of one");
            }
        });
        close(members);
    }

    public static void main(String[] args) {
        App.run(() -> {
            for (String config : new String[] {"tcp.xml", "udp.xml"}) {
                messages(config, false);
                rpcs(config, false);
            }
            App.check(!Util.virtualThreadsAvailable() && !ThreadCreator.hasVirtualThreads(), "virtual threads are not there on 11");
            messages("tcp.xml", true);
            rpcs("udp.xml", true);
        });
    }
}
