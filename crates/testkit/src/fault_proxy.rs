//! A proxy on loopback in front of a server, with the faults of a network.
//!
//! A test puts it between two programs, sets a [`Fault`] and takes it away again. The proxy keeps
//! its port throughout. It ends when it is dropped.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream, UnixStream},
    sync::watch,
    task::AbortHandle,
};

/// The way that bytes go through the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Requests: from the clients to the server.
    ToServer,
    /// Answers: from the server to the clients.
    ToClient,
}

/// What the proxy does with its connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It passes everything on.
    None,
    /// It passes everything on, each piece this much later.
    Delay(Duration),
    /// It keeps and accepts connections, and passes nothing on. What waits is passed on afterwards.
    Stall,
    /// It closes all connections, and every new one as soon as it is accepted.
    Drop,
    /// It closes all connections, and its port refuses new ones.
    Refuse,
    /// It closes all connections towards the clients, and every new one. The server is not told:
    /// its ends stay open until the proxy is dropped, as if the clients' machine had lost its
    /// power.
    Vanish,
    /// It ends all connections in one direction, and swallows what still comes. The other direction
    /// stays open, also when the fault is taken away.
    HalfClose(Direction),
    /// It passes this many bytes on in a direction, summed over all connections. Then it closes all
    /// of them and is [`Fault::None`].
    CutAfter(Direction, u64),
}

/// Where the proxy connects to.
#[derive(Debug, Clone)]
pub enum Upstream {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// What a connection has to know.
#[derive(Debug, Clone, Copy)]
struct State {
    fault: Fault,
    /// Connections of an earlier generation are closed.
    generation: u64,
}

struct Shared {
    state: watch::Sender<State>,
    /// The bytes until the cut.
    uncut: AtomicU64,
    passed: [AtomicU64; 2],
    open: AtomicUsize,
    /// Whether the port takes connections.
    is_listening: watch::Sender<bool>,
}

/// A running proxy.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

impl FaultProxy {
    /// Starts it in front of a server, which need not run yet.
    pub async fn start(upstream: Upstream) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared {
            state: watch::Sender::new(State { fault: Fault::None, generation: 0 }),
            uncut: AtomicU64::new(0),
            passed: Default::default(),
            open: AtomicUsize::new(0),
            is_listening: watch::Sender::new(true),
        });
        let task = tokio::spawn(accept(listener, address, upstream, shared.clone())).abort_handle();
        Self { address, shared, task }
    }

    /// Starts it in front of a PostgreSQL on a Unix socket. Returns the address of the database
    /// through the proxy too.
    pub async fn in_front_of_database(url: &str) -> (Self, String) {
        let (base, folder) = url.split_once("host=").expect("an address with `host=`, as those of the test cluster");
        let proxy = Self::start(Upstream::Unix(PathBuf::from(folder).join(".s.PGSQL.5432"))).await;
        let through = format!("{base}host=127.0.0.1&port={}", proxy.address.port());
        (proxy, through)
    }

    /// The address of the proxy.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces the fault. Returns as soon as new connections find it.
    pub async fn set(&self, fault: Fault) {
        if let Fault::CutAfter(_, bytes) = fault {
            self.shared.uncut.store(bytes, Ordering::SeqCst);
        }
        let closes = matches!(fault, Fault::Drop | Fault::Refuse);
        self.shared.state.send_modify(|state| {
            state.fault = fault;
            state.generation += u64::from(closes);
        });
        let mut listening = self.shared.is_listening.subscribe();
        let wanted = fault != Fault::Refuse;
        listening.wait_for(|is_listening| *is_listening == wanted).await.expect("the proxy runs");
    }

    /// Passes everything on again.
    pub async fn heal(&self) {
        self.set(Fault::None).await;
    }

    /// Closes the connections that are open. New ones find the fault that is set.
    pub fn cut(&self) {
        self.shared.state.send_modify(|state| state.generation += 1);
    }

    /// The fault; after the cut of [`Fault::CutAfter`] there is none.
    pub fn fault(&self) -> Fault {
        self.shared.state.borrow().fault
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.shared.open.load(Ordering::SeqCst)
    }

    /// How many bytes were passed on in a direction.
    pub fn passed(&self, direction: Direction) -> u64 {
        self.shared.passed(direction).load(Ordering::SeqCst)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
        // Connections that are being made are closed too.
        self.shared.state.send_modify(|state| state.fault = Fault::Drop);
    }
}

impl Shared {
    const fn passed(&self, direction: Direction) -> &AtomicU64 {
        match direction {
            Direction::ToServer => &self.passed[0],
            Direction::ToClient => &self.passed[1],
        }
    }

    fn note_cut(&self) {
        self.state.send_modify(|state| *state = State { fault: Fault::None, generation: state.generation + 1 });
    }
}

/// Takes connections as long as the proxy lives.
async fn accept(mut listener: TcpListener, address: SocketAddr, upstream: Upstream, shared: Arc<Shared>) {
    let mut state = shared.state.subscribe();
    loop {
        let fault = state.borrow_and_update().fault;
        if fault == Fault::Refuse {
            drop(listener);
            // Bound without listening, the port refuses, and no other program gets it.
            let socket = bind(address).await;
            shared.is_listening.send_replace(false);
            if state.wait_for(|state| state.fault != Fault::Refuse).await.is_err() {
                return;
            }
            listener = socket.listen(1024).expect("the port is still its own");
            shared.is_listening.send_replace(true);
            continue;
        }
        tokio::select! {
            biased;
            changed = state.changed() => if changed.is_err() { return },
            client = listener.accept() => {
                if let Ok((client, _)) = client && !matches!(fault, Fault::Drop | Fault::Vanish) {
                    tokio::spawn(connect(client, upstream.clone(), shared.clone()));
                }
            }
        }
    }
}

async fn bind(address: SocketAddr) -> TcpSocket {
    loop {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option of sockets");
        match socket.bind(address) {
            Ok(()) => return socket,
            // The one that listened is being closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
}

/// A connection from its beginning to its end.
async fn connect(client: TcpStream, upstream: Upstream, shared: Arc<Shared>) {
    let mut state = shared.state.subscribe();
    let generation = state.borrow().generation;
    shared.open.fetch_add(1, Ordering::SeqCst);
    let _ = client.set_nodelay(true);
    let passing = async {
        match upstream {
            Upstream::Tcp(address) => {
                if let Ok(server) = TcpStream::connect(address).await {
                    let _ = server.set_nodelay(true);
                    pass(client.into_split(), server.into_split(), &shared).await;
                }
            }
            Upstream::Unix(path) => {
                if let Ok(server) = UnixStream::connect(path).await {
                    pass(client.into_split(), server.into_split(), &shared).await;
                }
            }
        }
    };
    tokio::select! {
        biased;
        _ = state.wait_for(|state| state.generation != generation) => {}
        () = passing => {}
    }
    shared.open.fetch_sub(1, Ordering::SeqCst);
}

/// Passes bytes in both directions until both are at their end, or one fails.
async fn pass<A, B, C, D>((client_out, client_in): (A, B), (server_out, server_in): (C, D), shared: &Shared)
where
    A: AsyncRead + Unpin,
    B: AsyncWrite + Unpin,
    C: AsyncRead + Unpin,
    D: AsyncWrite + Unpin,
{
    let requests = pump(client_out, server_in, Direction::ToServer, shared);
    let answers = pump(server_out, client_in, Direction::ToClient, shared);
    // A direction that is at its end leaves the other one as it is.
    let _ = tokio::try_join!(requests, answers);
}

/// Passes bytes in one direction.
async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    direction: Direction,
    shared: &Shared,
) -> std::io::Result<()> {
    let mut state = shared.state.subscribe();
    let mut buffer = vec![0; 1 << 16];
    let mut is_open = true;
    loop {
        let fault = state.borrow_and_update().fault;
        if fault == Fault::Vanish {
            return vanish(from, to, direction).await;
        }
        end_half(&mut to, &mut is_open, fault == Fault::HalfClose(direction)).await?;
        let length = tokio::select! {
            biased;
            _ = state.changed() => continue,
            read = from.read(&mut buffer) => read?,
        };
        let fault = hold(&mut state).await;
        if fault == Fault::Vanish {
            continue;
        }
        end_half(&mut to, &mut is_open, length == 0 || fault == Fault::HalfClose(direction)).await?;
        if length == 0 {
            return Ok(());
        }
        if !is_open {
            continue;
        }
        let length = allowed(length, direction, shared);
        to.write_all(&buffer[..length]).await?;
        to.flush().await?;
        shared.passed(direction).fetch_add(length as u64, Ordering::SeqCst);
        let is_cut = matches!(shared.state.borrow().fault, Fault::CutAfter(cut, _) if cut == direction)
            && shared.uncut.load(Ordering::SeqCst) == 0;
        if is_cut {
            shared.note_cut();
        }
    }
}

/// Closes the client's half, and keeps the server's without end.
async fn vanish(from: impl AsyncRead, to: impl AsyncWrite, direction: Direction) -> std::io::Result<()> {
    let _kept = match direction {
        Direction::ToServer => {
            drop(from);
            (None, Some(to))
        }
        Direction::ToClient => {
            drop(to);
            (Some(from), None)
        }
    };
    std::future::pending().await
}

/// Ends a direction, once.
async fn end_half(to: &mut (impl AsyncWrite + Unpin), is_open: &mut bool, is_wanted: bool) -> std::io::Result<()> {
    if is_wanted && std::mem::take(is_open) {
        to.shutdown().await?;
    }
    Ok(())
}

/// Waits as long as the fault says, and returns the one that is left.
async fn hold(state: &mut watch::Receiver<State>) -> Fault {
    loop {
        let fault = state.borrow_and_update().fault;
        match fault {
            Fault::Stall => drop(state.changed().await),
            // Other faults end the delay.
            Fault::Delay(delay) => match tokio::time::timeout(delay, state.changed()).await {
                Ok(_) => {}
                Err(_) => return fault,
            },
            _ => return fault,
        }
    }
}

/// How many of these bytes come before the cut.
fn allowed(length: usize, direction: Direction, shared: &Shared) -> usize {
    if !matches!(shared.state.borrow().fault, Fault::CutAfter(cut, _) if cut == direction) {
        return length;
    }
    let take = |uncut: u64| Some(uncut.saturating_sub(length as u64));
    let before = shared.uncut.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).unwrap_or(0);
    length.min(usize::try_from(before).unwrap_or(usize::MAX))
}
