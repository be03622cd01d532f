//! The garden, and what belongs to no area: people, weather, helpers, automations.

use serde_json::{Value, json};

use super::entity::{
    Behaviour, Days, Light, MeterKind, ScheduledState, SimulatedEntity, SimulatedState,
    TimeOfDay::{Clock, Sunrise, Sunset},
    battery, light, meter, routine,
};

pub(super) fn entities() -> Vec<SimulatedEntity> {
    let mut entities = garden();
    entities.extend(everywhere());
    entities.extend(helpers());
    entities.extend(rules());
    entities
}

fn garden() -> Vec<SimulatedEntity> {
    let mowing = ScheduledState::new(Clock(14, 10), Clock(16, 0), SimulatedState::word("mowing"))
        .on(Days::Work, 0.4)
        .by("schedule");
    vec![
        light("light.garden_path", "Garden path lights", Light::Plain, &[(Sunset(15), Clock(23, 0), 1.0)])
            .of("garden_path"),
        // A dead plug: it looks fine, and nothing happens.
        routine("switch.fountain", "Fountain", "off", "on", &[]).aka(&["Fountain pump"]).of("fountain_plug").dead(),
        SimulatedEntity::new("valve.irrigation", "Irrigation", Behaviour::Still(SimulatedState::word("closed")))
            .aka(&["Sprinkler"])
            .of("irrigation")
            .class("water")
            .statics(json!({"supported_features": 3})),
        SimulatedEntity::new(
            "lawn_mower.garden",
            "Lawn mower",
            Behaviour::Routine { idle: SimulatedState::word("docked"), schedule: vec![mowing] },
        )
        .aka(&["Mower"])
        .of("mower")
        .platform("husqvarna_automower"),
        meter("sensor.soil_moisture", "Soil moisture", "moisture", "%", MeterKind::Soil).of("soil_sensor"),
        meter("sensor.soil_temperature", "Soil temperature", "temperature", "°C", MeterKind::Unheated { around: 14.0 })
            .of("soil_sensor"),
        battery("sensor.soil_sensor_battery", "Soil sensor battery", "soil_sensor", 22.0),
        SimulatedEntity::new(
            "binary_sensor.garden_needs_water",
            "Garden needs water",
            Behaviour::DrySoil { soil: "sensor.soil_moisture" },
        )
        .area("garden")
        .platform("template"),
        meter("sensor.outdoor_temperature", "Outdoor temperature", "temperature", "°C", MeterKind::Outdoors)
            .of("outdoor_sensor"),
        battery("sensor.outdoor_sensor_battery", "Outdoor sensor battery", "outdoor_sensor", 69.0),
    ]
}

fn everywhere() -> Vec<SimulatedEntity> {
    let away = |from, until, days, chance| (from, until, days, chance);
    let lights: &[&str] = &[
        "light.kitchen_ceiling",
        "light.kitchen_counter",
        "light.living_room_ceiling",
        "light.floor_lamp",
        "light.tv_backlight",
        "light.hallway",
        "light.garage",
        "light.bedroom_ceiling",
        "light.bedside_lamp",
        "light.bathroom",
        "light.office_ceiling",
        "light.desk_lamp",
        "light.landing",
        "light.garden_path",
    ];
    vec![
        routine("person.marta", "Marta", "home", "not_home", &[away(Clock(8, 5), Clock(17, 20), Days::Work, 0.9)])
            .platform("person"),
        routine(
            "person.jonas",
            "Jonas",
            "home",
            "not_home",
            &[away(Clock(7, 50), Clock(16, 55), Days::Work, 0.5), away(Clock(10, 40), Clock(12, 30), Days::Free, 0.6)],
        )
        .platform("person"),
        SimulatedEntity::new(
            "binary_sensor.anyone_home",
            "Anyone home",
            Behaviour::Anyone { people: &["person.marta", "person.jonas"] },
        )
        .class("occupancy")
        .platform("template"),
        SimulatedEntity::new("sensor.lights_on", "Lights on", Behaviour::Count { members: lights })
            .platform("template"),
        SimulatedEntity::new("sun.sun", "Sun", Behaviour::Sun).platform("sun"),
        SimulatedEntity::new("weather.home", "Weather", Behaviour::Weather)
            .platform("met")
            .statics(json!({"temperature_unit": "°C", "supported_features": 3})),
    ]
}

fn helpers() -> Vec<SimulatedEntity> {
    vec![
        SimulatedEntity::new("todo.shopping_list", "Shopping list", Behaviour::List)
            .platform("shopping_list")
            .statics(json!({"supported_features": 15})),
        routine("input_boolean.guest_mode", "Guest mode", "off", "on", &[]).platform("input_boolean"),
        routine("input_boolean.holiday_mode", "Holiday mode", "off", "on", &[]).platform("input_boolean"),
        SimulatedEntity::new(
            "input_number.heating_offset",
            "Heating offset",
            Behaviour::Still(SimulatedState::word("0.0")),
        )
        .platform("input_number")
        .statics(json!({"min": -3.0, "max": 3.0, "step": 0.5, "mode": "slider", "unit_of_measurement": "°C"})),
        SimulatedEntity::new(
            "input_select.house_mode",
            "House mode",
            Behaviour::Still(SimulatedState::word("Everyday")),
        )
        .platform("input_select")
        .statics(json!({"options": ["Everyday", "Weekend", "Party", "Away"]})),
        SimulatedEntity::new("scene.movie_night", "Movie night", Behaviour::Still(SimulatedState::word("unknown")))
            .platform("homeassistant")
            .area("living_room")
            .does("light", "turn_off", &["light.living_room_ceiling"], Value::Null)
            .does("light", "turn_on", &["light.floor_lamp"], json!({"brightness_pct": 20}))
            .does("light", "turn_on", &["light.tv_backlight"], json!({"brightness_pct": 40, "color_name": "blue"}))
            .does("cover", "close_cover", &["cover.living_room_blinds"], Value::Null),
        SimulatedEntity::new("scene.bright", "Bright", Behaviour::Still(SimulatedState::word("unknown")))
            .platform("homeassistant")
            .does(
                "light",
                "turn_on",
                &["light.living_room_ceiling", "light.floor_lamp", "light.kitchen_ceiling"],
                json!({"brightness_pct": 100}),
            ),
        SimulatedEntity::new("script.good_night", "Good night", Behaviour::Still(SimulatedState::word("off")))
            .platform("script")
            .does(
                "light",
                "turn_off",
                &["light.living_room_lights", "light.kitchen_ceiling", "light.hallway", "light.landing"],
                Value::Null,
            )
            .does("media_player", "turn_off", &["media_player.television"], Value::Null)
            .does("lock", "lock", &["lock.front_door", "lock.back_door"], Value::Null),
        SimulatedEntity::new("script.welcome_home", "Welcome home", Behaviour::Still(SimulatedState::word("off")))
            .platform("script")
            .does("light", "turn_on", &["light.hallway", "light.kitchen_ceiling"], json!({"brightness_pct": 70})),
    ]
}

fn rules() -> Vec<SimulatedEntity> {
    let rule = |id, name, runs| SimulatedEntity::new(id, name, Behaviour::Rule { runs }).platform("automation");
    vec![
        rule(
            "automation.blinds",
            "Blinds by sun and clock",
            &[(Clock(7, 0), "time 07:00"), (Sunset(25), "sun.sun 25 minutes after sunset")],
        )
        .reads(&["sun.sun"])
        .does("cover", "toggle", &["cover.living_room_blinds", "cover.bedroom_blinds"], Value::Null),
        rule("automation.lock_up", "Lock up at night", &[(Clock(22, 30), "time 22:30")]).does(
            "lock",
            "lock",
            &["lock.front_door", "lock.back_door"],
            Value::Null,
        ),
        rule("automation.arm_at_night", "Arm the alarm at night", &[(Clock(23, 10), "time 23:10")])
            .reads(&["binary_sensor.anyone_home"])
            .does("alarm_control_panel", "alarm_arm_night", &["alarm_control_panel.house"], Value::Null),
        rule("automation.water_the_garden", "Water the garden", &[(Sunrise(-30), "sun.sun 30 minutes before sunrise")])
            .reads(&["binary_sensor.garden_needs_water"])
            .does("valve", "open_valve", &["valve.irrigation"], Value::Null),
        rule("automation.night_light", "Night light on the landing", &[])
            .reads(&["binary_sensor.bedroom_motion", "sun.sun"])
            .does("light", "turn_on", &["light.landing"], json!({"brightness_pct": 20})),
        // Marta has a new phone by now.
        rule(
            "automation.coffee_ready",
            "Tell when the coffee is ready",
            &[(Clock(6, 52), "numeric state of sensor.coffee_machine_power")],
        )
        .reads(&["sensor.coffee_machine_power"])
        .does("notify", "mobile_app_martas_old_phone", &[], json!({"message": "The coffee is ready"})),
        rule("automation.air_the_office", "Air the office", &[]).reads(&["sensor.office_co2"]).does(
            "persistent_notification",
            "create",
            &[],
            json!({"message": "Time to air the office"}),
        ),
    ]
}
