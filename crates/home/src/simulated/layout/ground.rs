//! The ground floor: kitchen, living room, hallway, garage.

use serde_json::json;

use super::entity::{
    Behaviour, Days, Light, MeterKind, ScheduledState, SimulatedEntity, SimulatedState,
    TimeOfDay::{Clock, Sunset},
    battery, light, meter, routine,
};

pub(super) fn entities() -> Vec<SimulatedEntity> {
    let mut entities = kitchen();
    entities.extend(living_room());
    entities.extend(hallway());
    entities.extend(garage());
    entities
}

fn kitchen() -> Vec<SimulatedEntity> {
    const BUSY: &[(f64, f64, f64)] = &[(6.4, 8.2, 0.7), (12.0, 13.5, 0.4), (17.5, 20.5, 0.6), (20.5, 23.0, 0.2)];
    vec![
        light(
            "light.kitchen_ceiling",
            "Kitchen ceiling",
            Light::White,
            &[(Clock(6, 35), Clock(7, 50), 0.9), (Sunset(-10), Clock(21, 30), 1.0)],
        )
        .of("kitchen_panel"),
        light("light.kitchen_counter", "Counter lights", Light::Dims, &[(Clock(17, 50), Clock(20, 10), 0.8)])
            .aka(&["Worktop lights"])
            .of("kitchen_strip"),
        routine(
            "switch.coffee_machine",
            "Coffee machine",
            "off",
            "on",
            &[(Clock(6, 40), Clock(7, 40), Days::All, 1.0), (Clock(15, 5), Clock(15, 35), Days::Free, 0.7)],
        )
        .of("coffee_plug")
        .class("outlet"),
        meter(
            "sensor.coffee_machine_power",
            "Coffee machine power",
            "power",
            "W",
            MeterKind::Power { of: &[("switch.coffee_machine", 860.0)], idle: 0.4 },
        )
        .of("coffee_plug")
        .auxiliary(),
        routine("switch.dishwasher", "Dishwasher", "on", "off", &[]).of("dishwasher_plug").class("outlet"),
        meter(
            "sensor.kitchen_temperature",
            "Kitchen temperature",
            "temperature",
            "°C",
            MeterKind::Unheated { around: 21.4 },
        )
        .of("kitchen_climate"),
        meter("sensor.kitchen_humidity", "Kitchen humidity", "humidity", "%", MeterKind::Humidity { around: 52.0 })
            .of("kitchen_climate"),
        routine(
            "binary_sensor.kitchen_window",
            "Kitchen window",
            "off",
            "on",
            &[(Clock(7, 20), Clock(7, 45), Days::All, 0.8), (Clock(18, 40), Clock(19, 5), Days::All, 0.5)],
        )
        .of("kitchen_window")
        .class("window"),
        battery("sensor.kitchen_window_battery", "Kitchen window battery", "kitchen_window", 81.0),
        SimulatedEntity::new("binary_sensor.kitchen_motion", "Kitchen motion", Behaviour::Motion { busy: BUSY })
            .of("kitchen_motion")
            .class("motion"),
        battery("sensor.kitchen_motion_battery", "Kitchen motion battery", "kitchen_motion", 64.0),
        routine("binary_sensor.kitchen_leak", "Kitchen leak", "off", "on", &[]).of("kitchen_leak").class("moisture"),
        media("media_player.kitchen_speaker", "Kitchen speaker", "speaker", "Morning news", (6, 45), (7, 55))
            .aka(&["Kitchen radio"])
            .of("kitchen_speaker")
            .platform("cast"),
        door_lock("lock.back_door", "Back door").of("back_door_lock"),
        battery("sensor.back_door_lock_battery", "Back door lock battery", "back_door_lock", 72.0),
    ]
}

fn living_room() -> Vec<SimulatedEntity> {
    const BUSY: &[(f64, f64, f64)] = &[(7.0, 8.0, 0.2), (16.5, 19.0, 0.4), (19.0, 22.8, 0.7)];
    let evening = |until| [(Sunset(5), until, 1.0)];
    vec![
        light("light.living_room_ceiling", "Living room ceiling", Light::Dims, &evening(Clock(22, 20)))
            .of("living_dimmer"),
        light("light.floor_lamp", "Floor lamp", Light::Colour, &evening(Clock(22, 50)))
            .aka(&["Reading lamp"])
            .of("floor_lamp"),
        light("light.tv_backlight", "TV backlight", Light::Colour, &[(Clock(20, 0), Clock(22, 30), 0.9)])
            .of("tv_strip"),
        SimulatedEntity::new(
            "light.living_room_lights",
            "Living room lights",
            Behaviour::Group { members: &["light.living_room_ceiling", "light.floor_lamp", "light.tv_backlight"] },
        )
        .area("living_room")
        .platform("group")
        .statics(json!({
            "supported_color_modes": ["color_temp", "rgb"],
            "entity_id": ["light.living_room_ceiling", "light.floor_lamp", "light.tv_backlight"],
        })),
        blinds("cover.living_room_blinds", "Living room blinds").of("living_blinds"),
        media("media_player.television", "Television", "tv", "Evening film", (20, 5), (22, 25))
            .aka(&["TV", "Telly"])
            .of("television")
            .platform("androidtv"),
        climate("climate.living_room", "Living room thermostat", "sensor.living_room_temperature", 21.5)
            .of("living_thermostat"),
        meter(
            "sensor.living_room_temperature",
            "Living room temperature",
            "temperature",
            "°C",
            MeterKind::Room { climate: "climate.living_room" },
        )
        .of("living_thermostat"),
        meter(
            "sensor.living_room_humidity",
            "Living room humidity",
            "humidity",
            "%",
            MeterKind::Humidity { around: 47.0 },
        )
        .of("living_thermostat"),
        meter(
            "sensor.living_room_co2",
            "Living room CO2",
            "carbon_dioxide",
            "ppm",
            MeterKind::Air { from: 17.0, until: 23.0 },
        )
        .of("living_air"),
        SimulatedEntity::new(
            "binary_sensor.living_room_motion",
            "Living room motion",
            Behaviour::Motion { busy: BUSY },
        )
        .of("living_motion")
        .class("motion"),
        battery("sensor.living_room_motion_battery", "Living room motion battery", "living_motion", 47.0),
        fan("fan.living_room", "Ceiling fan").of("living_fan"),
        SimulatedEntity::new(
            "vacuum.dusty",
            "Dusty",
            Behaviour::Routine {
                idle: SimulatedState::word("docked"),
                schedule: vec![
                    ScheduledState::new(Clock(10, 30), Clock(11, 25), SimulatedState::word("cleaning"))
                        .on(Days::Work, 0.7)
                        .by("schedule"),
                ],
            },
        )
        .aka(&["Vacuum", "Hoover"])
        .of("vacuum")
        .platform("roborock"),
    ]
}

fn hallway() -> Vec<SimulatedEntity> {
    const BUSY: &[(f64, f64, f64)] = &[(6.5, 8.4, 0.6), (16.4, 18.2, 0.6), (18.2, 23.0, 0.25)];
    vec![
        light(
            "light.hallway",
            "Hallway",
            Light::Dims,
            &[(Clock(6, 40), Clock(8, 5), 0.8), (Sunset(-20), Clock(22, 45), 1.0)],
        )
        .of("hallway_light"),
        door_lock("lock.front_door", "Front door").aka(&["Main door"]).of("front_door_lock"),
        battery("sensor.front_door_lock_battery", "Front door lock battery", "front_door_lock", 58.0),
        SimulatedEntity::new(
            "binary_sensor.front_door",
            "Front door contact",
            Behaviour::Motion { busy: &[(7.8, 8.3, 0.5), (16.8, 17.8, 0.5), (11.0, 11.6, 0.2)] },
        )
        .of("front_door_contact")
        .class("door"),
        battery("sensor.front_door_contact_battery", "Front door contact battery", "front_door_contact", 88.0),
        SimulatedEntity::new("binary_sensor.hallway_motion", "Hallway motion", Behaviour::Motion { busy: BUSY })
            .of("hallway_motion")
            .class("motion"),
        alarm(),
        routine("switch.alarm_bypass", "Alarm bypass", "off", "on", &[]).of("alarm").platform("mqtt").hidden(),
        meter("sensor.mains_voltage", "Mains voltage", "voltage", "V", MeterKind::Voltage)
            .of("energy_meter")
            .platform("shelly"),
        meter(
            "sensor.mains_power",
            "Mains power",
            "power",
            "W",
            MeterKind::Power {
                of: &[
                    ("switch.coffee_machine", 860.0),
                    ("switch.car_charger", 3_650.0),
                    ("switch.office_computer", 95.0),
                    ("switch.towel_rail", 450.0),
                    ("media_player.television", 110.0),
                    ("light.kitchen_ceiling", 28.0),
                    ("light.living_room_ceiling", 24.0),
                ],
                idle: 185.0,
            },
        )
        .of("energy_meter")
        .platform("shelly"),
        meter("sensor.energy_today", "Energy today", "energy", "kWh", MeterKind::Energy)
            .of("energy_meter")
            .platform("shelly"),
        routine("binary_sensor.internet", "Internet", "on", "off", &[])
            .of("router")
            .class("connectivity")
            .platform("fritz"),
        routine("switch.guest_wifi", "Guest WiFi", "off", "on", &[]).of("router").platform("fritz").hidden(),
        routine("device_tracker.router", "Router", "home", "not_home", &[]).of("router").platform("fritz").hidden(),
    ]
}

fn garage() -> Vec<SimulatedEntity> {
    let commute: &[(_, _, _, _)] = &[
        (Clock(8, 4), Clock(8, 6), Days::Work, 0.9),
        (Clock(17, 22), Clock(17, 25), Days::Work, 0.9),
        (Clock(10, 40), Clock(11, 10), Days::Free, 0.5),
    ];
    let door = routine("cover.garage_door", "Garage door", "closed", "open", commute);
    vec![
        door.of("garage_door").class("garage").platform("mqtt").statics(json!({"supported_features": 11})),
        light("light.garage", "Garage light", Light::Plain, &[(Clock(17, 20), Clock(17, 40), 0.8)])
            .of("garage_light")
            .platform("shelly"),
        SimulatedEntity::new(
            "binary_sensor.garage_motion",
            "Garage motion",
            Behaviour::Motion { busy: &[(7.9, 8.2, 0.6), (17.2, 17.8, 0.6)] },
        )
        .of("garage_motion")
        .class("motion"),
        routine(
            "switch.car_charger",
            "Car charger",
            "off",
            "on",
            &[(Clock(23, 30), Clock(26, 45), Days::Work, 0.8), (Clock(12, 0), Clock(14, 0), Days::Free, 0.6)],
        )
        .of("car_charger")
        .platform("shelly"),
        meter(
            "sensor.car_charger_power",
            "Car charger power",
            "power",
            "W",
            MeterKind::Power { of: &[("switch.car_charger", 3_650.0)], idle: 2.0 },
        )
        .of("car_charger")
        .platform("shelly")
        .auxiliary(),
    ]
}

fn alarm() -> SimulatedEntity {
    let schedule = vec![
        ScheduledState::new(Clock(23, 10), Clock(30, 20), SimulatedState::word("armed_night"))
            .begun_by("automation Arm the alarm at night"),
        ScheduledState::new(Clock(8, 20), Clock(16, 50), SimulatedState::word("armed_away")).on(Days::Work, 0.9),
    ];
    SimulatedEntity::new(
        "alarm_control_panel.house",
        "House alarm",
        Behaviour::Routine { idle: SimulatedState::word("disarmed"), schedule },
    )
    .aka(&["Alarm"])
    .of("alarm")
    .platform("mqtt")
    .statics(json!({"code_format": null, "code_arm_required": false, "supported_features": 7}))
}

/// A door lock: unlocked for a while when people leave and come.
fn door_lock(id: &'static str, name: &'static str) -> SimulatedEntity {
    let schedule = vec![
        ScheduledState::new(Clock(6, 50), Clock(8, 10), SimulatedState::word("unlocked")),
        ScheduledState::new(Clock(16, 55), Clock(22, 30), SimulatedState::word("unlocked"))
            .ended_by("automation Lock up at night"),
    ];
    SimulatedEntity::new(id, name, Behaviour::Routine { idle: SimulatedState::word("locked"), schedule })
}

/// Blinds that are closed while it is dark.
pub(super) fn blinds(id: &'static str, name: &'static str) -> SimulatedEntity {
    let down = SimulatedState::with("closed", json!({"current_position": 0}));
    let schedule = vec![ScheduledState::new(Sunset(25), Clock(31, 0), down).by("automation Blinds by sun and clock")];
    let idle = SimulatedState::with("open", json!({"current_position": 100}));
    SimulatedEntity::new(id, name, Behaviour::Routine { idle, schedule })
        .class("blind")
        .statics(json!({"supported_features": 15}))
}

/// A thermostat with a lower temperature at night.
pub(super) fn climate(id: &'static str, name: &'static str, room: &'static str, comfort: f64) -> SimulatedEntity {
    let heat = |target: f64| SimulatedState::with("heat", json!({"temperature": target, "preset_mode": "none"}));
    let schedule = vec![ScheduledState::new(Clock(6, 0), Clock(22, 30), heat(comfort)).by("schedule")];
    SimulatedEntity::new(id, name, Behaviour::Climate { idle: heat(comfort - 3.5), schedule, room }).statics(json!({
        "hvac_modes": ["off", "heat", "auto"], "min_temp": 7, "max_temp": 30, "target_temp_step": 0.5,
        "preset_modes": ["none", "eco", "boost"], "supported_features": 401,
    }))
}

/// A fan that is off by default.
pub(super) fn fan(id: &'static str, name: &'static str) -> SimulatedEntity {
    let off = SimulatedState::with("off", json!({"percentage": 0}));
    SimulatedEntity::new(id, name, Behaviour::Still(off))
        .statics(json!({"percentage_step": 25.0, "supported_features": 1}))
}

/// A media player with a daily schedule.
pub(super) fn media(
    id: &'static str,
    name: &'static str,
    class: &'static str,
    title: &'static str,
    from: (i64, i64),
    until: (i64, i64),
) -> SimulatedEntity {
    let playing =
        json!({"volume_level": 0.35, "is_volume_muted": false, "media_title": title, "media_content_type": "video"});
    let schedule = vec![ScheduledState::new(
        Clock(from.0, from.1),
        Clock(until.0, until.1),
        SimulatedState::with("playing", playing),
    )];
    SimulatedEntity::new(id, name, Behaviour::Routine { idle: SimulatedState::word("off"), schedule })
        .class(class)
        .statics(json!({"source_list": ["Radio", "Television", "Music"], "supported_features": 152_461}))
}
