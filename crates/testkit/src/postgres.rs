//! A PostgreSQL cluster of the tests' own: in a temporary folder, on a Unix socket, without a port.
//!
//! The server refuses to run as root. Tests that do run as root start it as an unprivileged user.

use std::{
    fs,
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// How long the server may take to start or to stop.
const PATIENCE: Duration = Duration::from_secs(60);
/// The user that every Linux has for programs without rights.
const UNPRIVILEGED: u32 = 65_534;
/// The role of the tests. It owns its databases and is no superuser, so that policies count for it.
const ROLE: &str = "dwell";

/// Whether the files are flushed to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFlushes {
    /// They are: what is committed survives a killed server.
    On,
    /// They are not, which is faster.
    Off,
}

/// A running cluster, which stops and is removed when it is dropped.
pub struct PostgresCluster {
    folder: TempDir,
    programs: PathBuf,
    flushing: DiskFlushes,
    server: Mutex<Option<Child>>,
    databases: AtomicU32,
}

/// The cluster that the tests of this process share.
static SHARED: Mutex<Weak<PostgresCluster>> = Mutex::new(Weak::new());

impl PostgresCluster {
    /// The cluster that the tests of this process share. It is not flushed to the disk.
    pub fn shared() -> Arc<Self> {
        let mut shared = lock(&SHARED);
        if let Some(running) = shared.upgrade() {
            return running;
        }
        let cluster = Arc::new(Self::start_new(DiskFlushes::Off));
        *shared = Arc::downgrade(&cluster);
        cluster
    }

    /// A cluster of its own.
    pub fn start_new(flushing: DiskFlushes) -> Self {
        let programs = programs().expect("PostgreSQL: install Debian's package `postgresql`, as `./test` does as root");
        let folder = tempfile::Builder::new().prefix("dwell-pg").tempdir_in(base()).expect("a folder for the cluster");
        give_away(folder.path());
        let cluster = Self { folder, programs, flushing, server: Mutex::default(), databases: AtomicU32::new(0) };
        copy_folder(&template(&cluster.programs), &cluster.data());
        cluster.start();
        cluster
    }

    /// Starts the server, if it does not run, and waits until it answers.
    pub fn start(&self) {
        let mut server = lock(&self.server);
        if server.is_some() {
            return;
        }
        let log = fs::File::options().create(true).append(true).open(self.folder.path().join("log")).expect("a log");
        let mut command = unprivileged(&self.programs.join("postgres"), true);
        command.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        command.args(["-c", "listen_addresses=", "-c", "max_connections=200", "-c", "shared_buffers=16MB"]);
        if self.flushing == DiskFlushes::Off {
            command.args(["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // The server ends with the thread that has started it, so that thread waits as long as the
        // tests run.
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let _ = sender.send(command.spawn());
            loop {
                std::thread::park();
            }
        });
        *server = Some(receiver.recv().expect("a thread").expect("the server starts"));
        drop(server);
        let began = Instant::now();
        while !self.answers() {
            assert!(began.elapsed() < PATIENCE, "the server does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the server as `pg_ctl stop -m immediate` does: nothing is finished, and the next start
    /// recovers from its log.
    pub fn stop_immediately(&self) {
        if let Some(mut server) = lock(&self.server).take() {
            // The only child of its kind: the number is that of the server itself.
            let killed = Command::new("kill").args(["-QUIT", &server.id().to_string()]).status();
            assert!(killed.is_ok_and(|status| status.success()), "the server cannot be stopped");
            server.wait().expect("the server ends");
        }
    }

    /// Keeps a copy of everything that is committed now. The server is stopped meanwhile.
    pub fn keep_copy(&self) {
        self.stop_immediately();
        copy_folder(&self.data(), &self.copy());
        self.start();
    }

    /// Goes on with the copy, as after a failover to a replica that had not received more.
    pub fn return_to_copy(&self) {
        self.stop_immediately();
        fs::remove_dir_all(self.data()).expect("the folder can be removed");
        fs::rename(self.copy(), self.data()).expect("the copy takes its place");
        self.start();
    }

    /// Creates an empty database, and returns its address.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.run_sql("postgres", "postgres", &format!("CREATE DATABASE {name} OWNER {ROLE}"));
        format!("postgres:///{name}?user={ROLE}&host={}", self.folder.path().display())
    }

    /// Removes a database, also while it is used.
    pub fn drop_database(&self, url: &str) {
        self.run_sql("postgres", "postgres", &format!("DROP DATABASE {} WITH (FORCE)", name_of(url)));
    }

    /// The ids of the server's processes, of which there is one for each connection.
    pub fn processes(&self) -> Vec<u32> {
        let Some(server) = lock(&self.server).as_ref().map(Child::id) else { return Vec::new() };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let parent = |pid: u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name may have spaces and brackets; after it come the state and the parent.
            stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse::<u32>().ok()
        };
        pids.filter(|pid| *pid == server || parent(*pid) == Some(server)).collect()
    }

    /// Runs SQL in a database as a superuser, and returns the rows as text.
    pub fn sql(&self, url: &str, sql: &str) -> String {
        self.run_sql("postgres", name_of(url), sql)
    }

    /// The server's log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn answers(&self) -> bool {
        let mut command = Command::new(self.programs.join("pg_isready"));
        command.arg("-q").arg("-h").arg(self.folder.path()).args(["-U", "postgres"]);
        command.status().is_ok_and(|status| status.success())
    }

    fn run_sql(&self, role: &str, database: &str, sql: &str) -> String {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", role, "-d", database, "-h"]);
        let output = command.arg(self.folder.path()).arg("-c").arg(sql).output().expect("psql");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{sql}: {errors}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn copy(&self) -> PathBuf {
        self.folder.path().join("copy")
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        self.stop_immediately();
    }
}

/// The name of the database at an address.
fn name_of(url: &str) -> &str {
    url.trim_start_matches("postgres:///").split('?').next().unwrap_or_default()
}

/// The newest PostgreSQL of this machine.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(version, bin)| *version >= 15 && bin.join("initdb").exists())
        .collect();
    found.sort();
    found.pop().map(|(_, bin)| bin)
}

/// A folder that an unprivileged user can reach. The tests' own temporary folder often is not.
fn base() -> PathBuf {
    if !is_root() {
        return std::env::temp_dir();
    }
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { PathBuf::from("/tmp") }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// A command that runs without the rights of root. With `is_bound` it ends with this thread.
fn unprivileged(program: &Path, is_bound: bool) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args([format!("--reuid={UNPRIVILEGED}"), format!("--regid={UNPRIVILEGED}"), "--clear-groups".into()]);
    }
    if is_bound {
        command.args(["--pdeathsig", "QUIT"]);
    }
    command.arg("--").arg(program).current_dir("/").env("LC_ALL", "C.UTF-8");
    command
}

fn give_away(folder: &Path) {
    if is_root() {
        chown(folder, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).expect("the folder changes its owner");
    }
}

/// A cluster that was only made, for all tests of this machine: making one takes a second, copying
/// it far less.
fn template(programs: &Path) -> PathBuf {
    let version = programs.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let user = fs::metadata("/proc/self").map_or(0, |process| process.uid());
    let place = base().join(format!("dwell-pg-template-{version}-{user}"));
    if place.join("data/PG_VERSION").exists() {
        return place.join("data");
    }
    let making = tempfile::Builder::new().prefix("dwell-pg").tempdir_in(base()).expect("a folder for the template");
    give_away(making.path());
    let mut command = unprivileged(&programs.join("initdb"), false);
    command.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"]);
    let made = command.arg(making.path().join("data")).output().expect("initdb");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut single = unprivileged(&programs.join("postgres"), false);
    single.args(["--single", "-D"]).arg(making.path().join("data")).arg("postgres").stdin(Stdio::piped());
    let mut single =
        single.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the server in single-user mode");
    let mut input = single.stdin.take().expect("its input");
    std::io::Write::write_all(&mut input, format!("CREATE ROLE {ROLE} LOGIN\n").as_bytes()).expect("a role");
    drop(input);
    assert!(single.wait().is_ok_and(|status| status.success()), "the role cannot be made");
    // Another process may have been faster; then its template is the one.
    let made = making.keep();
    if fs::rename(&made, &place).is_err() {
        let _ = fs::remove_dir_all(&made);
    }
    place.join("data")
}

/// Copies a folder with the owners and rights of its files.
fn copy_folder(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "{} cannot be copied", from.display());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
