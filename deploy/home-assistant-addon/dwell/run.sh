#!/usr/bin/env bash
# Starts Dwell as an add-on: the options of the add-on become settings of Dwell. The variables
# ADDON_… are for tests.
set -euo pipefail

folder=${ADDON_DATA:-/data}
options=$folder/options.json
supervisor=${ADDON_SUPERVISOR:-http://supervisor}
wyoming_port=10700

# An option, or nothing.
option() {
  jq -r --arg name "$1" '.[$name] // "" | if type == "array" then join(",") else tostring end' "$options"
}

# Sets a variable of the environment, unless the option is empty.
set_from() {
  local value
  value=$(option "$2")
  if [ -n "$value" ]; then
    export "$1=$value"
  fi
}

set_from DWELL_MODEL model
set_from OPENAI_API_KEY openai_api_key
set_from OPENAI_BASE_URL openai_base_url
set_from ANTHROPIC_API_KEY anthropic_api_key
set_from GEMINI_API_KEY gemini_api_key
set_from OLLAMA_HOST ollama_url
set_from DWELL_VOICE_SPEECH_TO_TEXT speech_to_text
set_from DWELL_VOICE_TEXT_TO_SPEECH text_to_speech
set_from DWELL_VOICE_LANGUAGE language
set_from DWELL_WYOMING_APPROVE approve_by_voice
set_from DWELL_LOG_FILTER log_level

# The satellites by their names, as JSON.
satellites=$(jq -c '
  .satellites // [] | map({key: .name, value: (del(.name) | with_entries(select(.value != null)))}) | from_entries
' "$options")
export DWELL_VOICE_SATELLITES="$satellites"

# Home Assistant itself comes from the machine's address in the network of the add-ons. Without a
# password, no other client may connect unless the user names it.
peers=$(option wyoming_peers)
export DWELL_WYOMING_PEERS="172.30.32.1${peers:+,$peers}"
export DWELL_WYOMING_LISTEN="${ADDON_WYOMING_LISTEN:-0.0.0.0:$wyoming_port}"
# The network of the add-ons has no announcements; the Supervisor is told below.
export DWELL_WYOMING_ANNOUNCE=false

export DWELL_DATA="$folder/dwell"
export DWELL_LISTEN="${ADDON_LISTEN:-0.0.0.0:8099}"
export DWELL_SERVER_OPEN=never
# The Supervisor has this address in every installation.
export DWELL_SERVER_INGRESS="${ADDON_INGRESS:-172.30.32.2}"
export DWELL_SERVER_PROXIES="$DWELL_SERVER_INGRESS"
export HOME_ASSISTANT_URL="$supervisor/core"
export HOME_ASSISTANT_TOKEN="${SUPERVISOR_TOKEN:?the Supervisor gives no token}"

# Tells Home Assistant where the conversation agent is. It is only found by hand otherwise.
announce() {
  local message
  message=$(jq -nc --arg uri "tcp://$(hostname):$wyoming_port" '{service: "wyoming", config: {uri: $uri}}')
  curl -sS --fail --retry 5 --retry-connrefused --retry-delay 2 -o /dev/null -X POST \
    -H "Authorization: Bearer $SUPERVISOR_TOKEN" -H 'Content-Type: application/json' \
    -d "$message" "$supervisor/discovery" || printf 'Home Assistant was not told of the conversation agent\n' >&2
}
announce &

exec "${ADDON_PROGRAM:-dwell}" serve
