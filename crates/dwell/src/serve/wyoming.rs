//! The Wyoming server, if the settings enable it or name satellites.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;
use engine::Hub;
use protocol::OwnerId;
use server::{AllowedPeers, Areas, Limits, Satellite, SatelliteSpeakers, ServiceAddress, VoiceSettings, WyomingServer};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, VoiceConfig};

/// The bound listener, which is not served yet.
pub(super) struct WyomingListener {
    /// The address, if clients may connect.
    pub(super) at: Option<SocketAddr>,
    listener: Option<TcpListener>,
    server: WyomingServer,
}

/// Binds the listener if it is enabled. The error says which setting is wrong.
pub(super) async fn open(
    config: &Config,
    owner: OwnerId,
    speakers: SatelliteSpeakers,
    limits: Limits,
    stop: &CancellationToken,
) -> anyhow::Result<Option<WyomingListener>> {
    let settings = &config.wyoming;
    let voice = voice(&config.voice)?;
    if settings.listen.is_empty() && voice.satellites.is_empty() {
        return Ok(None);
    }
    let peers = AllowedPeers::new(&settings.peers).context("`wyoming.peers` is wrong")?;
    let areas = Areas::new(&settings.areas).context("`wyoming.areas` is wrong")?;
    let (at, listener) = bind(&settings.listen).await?.unzip();
    let server = WyomingServer {
        owner,
        peers,
        areas,
        voice,
        speakers,
        announce: settings.announce,
        approve: settings.approve,
        patience: Duration::from_millis(settings.patience_ms),
        pause: Duration::from_millis(settings.pause_ms),
        connections_max: settings.connections_max.get(),
        idle: Duration::from_millis(settings.idle_ms.get()),
        limits,
        stopping: stop.clone(),
    };
    Ok(Some(WyomingListener { at, listener, server }))
}

async fn bind(listen: &str) -> anyhow::Result<Option<(SocketAddr, TcpListener)>> {
    if listen.is_empty() {
        return Ok(None);
    }
    let listener = TcpListener::bind(listen).await;
    let listener = listener.with_context(|| format!("failed to listen on {listen} (`wyoming.listen`)"))?;
    Ok(Some((listener.local_addr().context("failed to listen (`wyoming.listen`)")?, listener)))
}

/// The settings of speech. The error says which setting is wrong.
fn voice(config: &VoiceConfig) -> anyhow::Result<VoiceSettings> {
    let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let address = |key: &str, text: &str| -> anyhow::Result<Option<ServiceAddress>> {
        some(text).map(|text| text.parse().with_context(|| format!("`{key}` is wrong"))).transpose()
    };
    let mut satellites = Vec::new();
    for (name, satellite) in &config.satellites {
        let key = format!("voice.satellites.{name}.uri");
        let address = address(&key, &satellite.uri)?.with_context(|| format!("`{key}` is empty"))?;
        let (area, language) = (satellite.area.as_deref().and_then(some), satellite.language.as_deref().and_then(some));
        satellites.push(Satellite { name: name.clone(), address, area, language });
    }
    let speech_to_text = address("voice.speech_to_text", &config.speech_to_text)?;
    if !satellites.is_empty() && speech_to_text.is_none() {
        anyhow::bail!("`voice.satellites` needs `voice.speech_to_text`, for example tcp://127.0.0.1:10300");
    }
    Ok(VoiceSettings {
        speech_to_text,
        text_to_speech: address("voice.text_to_speech", &config.text_to_speech)?,
        language: some(&config.language),
        speaker: some(&config.speaker),
        satellites,
        silence: Duration::from_millis(config.silence_ms.get()),
        sentence_max: Duration::from_millis(config.sentence_max_ms.get()),
        patience: Duration::from_millis(config.patience_ms.get()),
    })
}

impl WyomingListener {
    /// Serves connections until the server stops.
    pub(super) async fn serve(self, hub: Hub) -> std::io::Result<()> {
        self.server.serve(self.listener, hub).await
    }
}
