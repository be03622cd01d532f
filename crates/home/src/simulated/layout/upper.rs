//! The upper floor: bedroom, bathroom, office, landing.

use super::{
    entity::{
        Behaviour, Days, Light, MeterKind, SimulatedEntity,
        TimeOfDay::{Clock, Sunset},
        battery, light, meter, routine,
    },
    ground::{blinds, climate, fan},
};

pub(super) fn entities() -> Vec<SimulatedEntity> {
    let mut entities = bedroom();
    entities.extend(bathroom());
    entities.extend(office());
    entities.extend(landing());
    entities
}

fn bedroom() -> Vec<SimulatedEntity> {
    vec![
        light("light.bedroom_ceiling", "Bedroom ceiling", Light::Dims, &[(Clock(6, 20), Clock(7, 10), 0.8)])
            .of("bedroom_driver"),
        light("light.bedside_lamp", "Bedside lamp", Light::White, &[(Clock(22, 20), Clock(23, 5), 0.9)])
            .aka(&["Night lamp"])
            .of("bedside_lamp"),
        blinds("cover.bedroom_blinds", "Bedroom blinds").of("bedroom_blinds"),
        climate("climate.bedroom", "Bedroom thermostat", "sensor.bedroom_temperature", 19.0).of("bedroom_thermostat"),
        meter(
            "sensor.bedroom_temperature",
            "Bedroom temperature",
            "temperature",
            "°C",
            MeterKind::Room { climate: "climate.bedroom" },
        )
        .of("bedroom_thermostat"),
        meter("sensor.bedroom_humidity", "Bedroom humidity", "humidity", "%", MeterKind::Humidity { around: 51.0 })
            .of("bedroom_thermostat"),
        SimulatedEntity::new(
            "binary_sensor.bedroom_motion",
            "Bedroom motion",
            Behaviour::Motion { busy: &[(6.2, 7.3, 0.6), (21.9, 23.2, 0.5), (2.0, 2.7, 0.3)] },
        )
        .of("bedroom_motion")
        .class("motion"),
        battery("sensor.bedroom_motion_battery", "Bedroom motion battery", "bedroom_motion", 39.0),
        routine(
            "binary_sensor.bedroom_window",
            "Bedroom window",
            "off",
            "on",
            &[(Clock(7, 15), Clock(8, 0), Days::All, 0.9)],
        )
        .of("bedroom_window")
        .class("window"),
        battery("sensor.bedroom_window_battery", "Bedroom window battery", "bedroom_window", 77.0),
    ]
}

fn bathroom() -> Vec<SimulatedEntity> {
    vec![
        light(
            "light.bathroom",
            "Bathroom light",
            Light::Dims,
            &[(Clock(6, 30), Clock(7, 25), 0.9), (Clock(21, 50), Clock(22, 20), 0.9)],
        )
        .aka(&["Mirror light"])
        .of("bathroom_light"),
        meter(
            "sensor.bathroom_temperature",
            "Bathroom temperature",
            "temperature",
            "°C",
            MeterKind::Unheated { around: 22.6 },
        )
        .of("bathroom_climate"),
        meter("sensor.bathroom_humidity", "Bathroom humidity", "humidity", "%", MeterKind::Humidity { around: 61.0 })
            .of("bathroom_climate"),
        battery("sensor.bathroom_climate_battery", "Bathroom climate battery", "bathroom_climate", 55.0),
        fan("fan.bathroom", "Extractor fan").of("bathroom_fan"),
        routine(
            "switch.towel_rail",
            "Towel rail",
            "off",
            "on",
            &[(Clock(6, 10), Clock(7, 30), Days::All, 1.0), (Clock(21, 0), Clock(22, 0), Days::All, 0.8)],
        )
        .of("towel_plug")
        .class("outlet"),
        meter(
            "sensor.towel_rail_power",
            "Towel rail power",
            "power",
            "W",
            MeterKind::Power { of: &[("switch.towel_rail", 450.0)], idle: 0.3 },
        )
        .of("towel_plug")
        .auxiliary(),
    ]
}

fn office() -> Vec<SimulatedEntity> {
    vec![
        light("light.office_ceiling", "Office ceiling", Light::White, &[(Clock(8, 40), Clock(9, 30), 0.4)])
            .of("office_panel"),
        light("light.desk_lamp", "Desk lamp", Light::Dims, &[(Sunset(-40), Clock(19, 10), 0.5)]).of("desk_lamp"),
        routine("switch.office_computer", "Computer", "off", "on", &[(Clock(8, 45), Clock(17, 15), Days::Work, 0.6)])
            .aka(&["PC"])
            .of("office_plug")
            .class("outlet"),
        meter(
            "sensor.office_computer_power",
            "Computer power",
            "power",
            "W",
            MeterKind::Power { of: &[("switch.office_computer", 95.0)], idle: 1.1 },
        )
        .of("office_plug")
        .auxiliary(),
        meter(
            "sensor.office_temperature",
            "Office temperature",
            "temperature",
            "°C",
            MeterKind::Unheated { around: 20.8 },
        )
        .of("office_air"),
        meter("sensor.office_co2", "Office CO2", "carbon_dioxide", "ppm", MeterKind::Air { from: 8.8, until: 17.2 })
            .of("office_air"),
        routine("sensor.printer", "Printer", "idle", "printing", &[(Clock(9, 50), Clock(9, 53), Days::Work, 0.5)])
            .of("printer")
            .platform("ipp"),
        meter("sensor.printer_black_ink", "Printer black ink", "", "%", MeterKind::Battery { percent: 34.0 })
            .of("printer")
            .platform("ipp")
            .auxiliary(),
    ]
}

fn landing() -> Vec<SimulatedEntity> {
    vec![
        light("light.landing", "Landing light", Light::Dims, &[(Sunset(0), Clock(23, 0), 0.9)]).of("landing_light"),
        routine("binary_sensor.landing_smoke", "Landing smoke detector", "off", "on", &[]).of("smoke").class("smoke"),
        battery("sensor.landing_smoke_battery", "Landing smoke detector battery", "smoke", 92.0),
    ]
}
