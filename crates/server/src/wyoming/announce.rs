//! Announces the Wyoming server on the network (zeroconf), so that Home Assistant discovers it.

use std::{collections::HashMap, net::SocketAddr};

use mdns_sd::{IfKind, ServiceDaemon, ServiceInfo};

const SERVICE: &str = "_wyoming._tcp.local.";

/// An announcement; it is withdrawn when this is dropped.
pub(super) struct Announcement {
    daemon: ServiceDaemon,
    name: String,
}

impl Announcement {
    /// Announces an address that other machines can reach. A failure does not keep the server from
    /// starting.
    pub(super) fn make(at: SocketAddr) -> Option<Self> {
        if at.ip().is_loopback() {
            tracing::info!("Wyoming is not announced: only this machine can reach {at}");
            return None;
        }
        match announce(at) {
            Ok(announcement) => {
                tracing::info!("Wyoming is announced on the network as {}", announcement.name);
                Some(announcement)
            }
            Err(error) => {
                tracing::warn!(%error, "Wyoming could not be announced; enter its address by hand");
                None
            }
        }
    }
}

fn announce(at: SocketAddr) -> Result<Announcement, mdns_sd::Error> {
    let machine: String = gethostname::gethostname().to_string_lossy().chars().filter(|char| *char != '.').collect();
    let (name, host) = (format!("Dwell on {machine}"), format!("{machine}.local."));
    let address = if at.ip().is_unspecified() { String::new() } else { at.ip().to_string() };
    let service =
        ServiceInfo::new(SERVICE, &name, &host, address.as_str(), at.port(), None::<HashMap<String, String>>)?;
    let service = if address.is_empty() { service.enable_addr_auto() } else { service };
    let name = service.get_fullname().to_owned();
    let daemon = ServiceDaemon::new()?;
    // Other machines cannot reach the loopback addresses.
    daemon.disable_interface(vec![IfKind::LoopbackV4, IfKind::LoopbackV6])?;
    daemon.register(service)?;
    Ok(Announcement { daemon, name })
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // Other machines remove it at once; if this fails, after its time to live.
        if let Ok(done) = self.daemon.unregister(&self.name) {
            let _ = done.recv_timeout(std::time::Duration::from_millis(500));
        }
        let _ = self.daemon.shutdown();
    }
}
