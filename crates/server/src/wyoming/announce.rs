//! Telling the network where the door is (zeroconf), so that Home Assistant offers it by itself.

use std::{collections::HashMap, net::SocketAddr};

use mdns_sd::{IfKind, ServiceDaemon, ServiceInfo};

const SERVICE: &str = "_wyoming._tcp.local.";

/// An announcement; it is taken back when this is dropped.
pub(super) struct Announcement {
    daemon: ServiceDaemon,
    name: String,
}

impl Announcement {
    /// Announces a door at an address that others can reach. A network that does not let us is no reason not to open.
    pub(super) fn make(at: SocketAddr) -> Option<Self> {
        if at.ip().is_loopback() {
            tracing::info!("wyoming is not announced: only this machine can reach {at}");
            return None;
        }
        match announce(at) {
            Ok(announcement) => {
                tracing::info!("wyoming is announced to the network as {}", announcement.name);
                Some(announcement)
            }
            Err(error) => {
                tracing::warn!(%error, "wyoming could not be announced; give its address by hand");
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
    // Whoever hears of it is elsewhere, and would not find it there.
    daemon.disable_interface(vec![IfKind::LoopbackV4, IfKind::LoopbackV6])?;
    daemon.register(service)?;
    Ok(Announcement { daemon, name })
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // Whoever has heard of it forgets it at once; if that fails, a little later.
        if let Ok(done) = self.daemon.unregister(&self.name) {
            let _ = done.recv_timeout(std::time::Duration::from_millis(500));
        }
        let _ = self.daemon.shutdown();
    }
}
