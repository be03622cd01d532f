"""What Home Assistant would do in a listed home with an intent: the entities it means, and the services it calls.

It follows the rules of Home Assistant's intent handlers: an entity is found by name or alias, area, domain and device
class; of several with one name none is taken; what a service cannot do is refused.
"""

from hassil.intents import TextSlotList

# Intents of one service: the domain, the service, and the states that an entity must have.
SERVICES = {
    "HassMediaPause": ("media_player", "media_pause", {"playing"}),
    "HassMediaUnpause": ("media_player", "media_play", None),
    "HassMediaNext": ("media_player", "media_next_track", {"playing"}),
    "HassMediaPrevious": ("media_player", "media_previous_track", {"playing"}),
    "HassMediaPlayerMute": ("media_player", "volume_mute", None),
    "HassMediaPlayerUnmute": ("media_player", "volume_mute", None),
    "HassSetVolume": ("media_player", "volume_set", None),
    "HassVacuumStart": ("vacuum", "start", None),
    "HassVacuumReturnToBase": ("vacuum", "return_to_base", None),
    "HassVacuumCleanArea": ("vacuum", "clean_area", None),
    "HassLawnMowerStartMowing": ("lawn_mower", "start_mowing", None),
    "HassLawnMowerDock": ("lawn_mower", "dock", None),
    "HassFanSetSpeed": ("fan", "set_percentage", None),
    "HassLightSet": ("light", "turn_on", None),
}
ON = {"cover": "open_cover", "lock": "lock", "valve": "open_valve", "button": "press", "input_button": "press"}
OFF = {"cover": "close_cover", "lock": "unlock", "valve": "close_valve"}
# Domains that have no service to be turned on or off; of some, only to be turned on.
NEITHER = ("vacuum", "lawn_mower", "todo", "sensor", "binary_sensor", "person", "weather", "alarm_control_panel", "calendar",
           "device_tracker", "camera", "event", "sun", "zone", "update", "image", "number", "select", "text")
ONLY_ON = ("scene", "button", "input_button")
LISTS = ("HassShoppingListAddItem", "HassListAddItem", "HassShoppingListCompleteItem", "HassListCompleteItem",
         "HassListRemoveItem")


class Home:
    """A home of the lists."""

    def __init__(self, listed):
        self.entities, self.areas = listed["entities"], listed["areas"]

    def slot_lists(self):
        """The names as Home Assistant gives them to hassil."""
        names = []
        for entity in self.entities:
            context = {"domain": domain(entity)}
            if entity.get("device_class"):
                context["device_class"] = entity["device_class"]
            names += [(name, name, context) for name in [entity["name"], *entity.get("aliases", [])]]
        areas = [(name, name) for area in self.areas for name in [area["name"], *area.get("aliases", [])]]
        make = TextSlotList.from_tuples
        return {"name": make(names, allow_template=False, name="name"), "area": make(areas, allow_template=False, name="area"),
                "floor": make([], allow_template=False, name="floor")}

    def match(self, slots, domains=None, states=None):
        """The entities that slots mean; none if it is not clear."""
        name, area = slots.get("name"), slots.get("area")
        found = self.entities
        if "domain" in slots:
            domains = every(slots["domain"])
        if domains:
            found = [entity for entity in found if domain(entity) in domains]
        if states:
            found = [entity for entity in found if entity["state"] in states]
        is_named = name is not None and name != "all"
        if is_named:
            same = lambda one: one.strip().casefold() == str(name).strip().casefold()
            found = [entity for entity in found if any(map(same, [entity["name"], *entity.get("aliases", [])]))]
        if "device_class" in slots:
            classes = every(slots["device_class"])
            found = [entity for entity in found if entity.get("device_class") in classes]
        if area is not None:
            same = lambda one: one.strip().casefold() == str(area).strip().casefold()
            ids = [one["id"] for one in self.areas if same(one["id"]) or any(map(same, [one["name"], *one.get("aliases", [])]))]
            found = [entity for entity in found if entity.get("area") in ids]
        if slots.get("floor") is not None or is_named and len(found) > 1:
            return []
        is_bound = is_named or domains or area is not None or "device_class" in slots
        return found if is_bound else []


def domain(entity):
    return entity["entity_id"].split(".")[0]


def every(value):
    return set(value) if isinstance(value, (list, tuple, set)) else {value}


def calls(home, intent, slots):
    """The calls of an intent as (service, entity, data); none if Home Assistant refuses, or if it is a question."""
    number = lambda name: float(slots[name])
    if intent in ("HassTurnOn", "HassTurnOff", "HassToggle"):
        made = []
        for entity in home.match(slots):
            of = domain(entity)
            if of in NEITHER or intent == "HassTurnOff" and of in ONLY_ON:
                continue
            verb = {"HassTurnOn": ON.get(of, "turn_on"), "HassTurnOff": OFF.get(of, "turn_off")}.get(intent, "toggle")
            made.append((f"{of}.{verb}", entity["entity_id"], {}))
        return made
    if intent in ("HassOpenCover", "HassCloseCover"):
        verb = "open_cover" if intent == "HassOpenCover" else "close_cover"
        return [(f"cover.{verb}", entity["entity_id"], {}) for entity in home.match(slots, {"cover"})]
    if intent == "HassSetPosition":
        data, verbs = {"position": number("position")}, {"cover": "set_cover_position", "valve": "set_valve_position"}
        return [(f"{domain(entity)}.{verbs[domain(entity)]}", entity["entity_id"], data)
                for entity in home.match(slots, set(verbs)) if domain(entity) in verbs]
    if intent == "HassClimateSetTemperature":
        found = home.match(slots, {"climate"})
        data = {"temperature": number("temperature")}
        return [("climate.set_temperature", found[0]["entity_id"], data)] if len(found) == 1 else []
    if intent == "HassSetVolumeRelative":
        step = slots.get("volume_step")
        is_up = step == "up" or isinstance(step, (int, float)) and step > 0
        found = home.match(slots, {"media_player"}, None if "name" in slots or "area" in slots else {"playing"})
        return [("media_player.volume_up" if is_up else "media_player.volume_down", entity["entity_id"], {})
                for entity in found]
    if intent in LISTS:
        return list_calls(home, intent, slots)
    if intent == "HassMediaSearchAndPlay":
        found = home.match(slots, {"media_player"})
        return [("media_player.play_media", entity["entity_id"], {}) for entity in found[:1]] or []
    if intent == "HassBroadcast":
        return [("assist_satellite.announce", "all satellites", {})]
    if intent == "HassStopMoving":
        return [(f"{domain(entity)}.stop", entity["entity_id"], {}) for entity in home.match(slots, {"cover", "valve"})]
    if intent not in SERVICES:
        return []
    of, verb, states = SERVICES[intent]
    data = {}
    if intent == "HassLightSet":
        data = {key: value for key, value in (("brightness_pct", slots.get("brightness")), ("color_name", slots.get("color")),
                                              ("color_temp_kelvin", slots.get("temperature"))) if value is not None}
    if intent == "HassFanSetSpeed":
        data = {"percentage": number("percentage")}
    if intent == "HassSetVolume":
        data = {"volume_level": number("volume_level") / 100}
    if verb == "volume_mute":
        data = {"is_volume_muted": intent == "HassMediaPlayerMute"}
    return [(f"{of}.{verb}", entity["entity_id"], data) for entity in home.match(slots, {of}, states)]


def list_calls(home, intent, slots):
    """An item of a list. The shopping list is one of the lists."""
    lists = [entity for entity in home.entities if domain(entity) == "todo"]
    if "name" in slots:
        lists = home.match({"name": slots["name"]}, {"todo"})
    elif "Shopping" in intent:
        lists = [entity for entity in lists if "shopping" in entity["entity_id"]] or lists[:1]
    if len(lists) != 1:
        return []
    verb = "add_item" if "Add" in intent else "remove_item" if "Remove" in intent else "update_item"
    return [(f"todo.{verb}", lists[0]["entity_id"], {"item": str(slots.get("item", "")).strip()})]
