//! The weather forecast: the actual future of the simulated weather.

use home::HomeError;
use protocol::Timestamp;
use serde_json::{Value, json};

use super::{ServiceRun, data::CallData};
use crate::{layout::SimulatedEntity, weather};

const HOUR: i64 = 3_600_000;

impl ServiceRun<'_> {
    pub(super) fn forecast(&mut self, entity: &SimulatedEntity, data: CallData<'_>) -> Result<(), HomeError> {
        let hourly = match data.needed_text("type")? {
            "hourly" => true,
            "daily" => false,
            other => return Err(HomeError::Invalid(format!("`type` is daily or hourly, not {other}"))),
        };
        let (simulation, begins) = (self.simulation, self.simulation.now.as_millis() / HOUR * HOUR);
        let warm =
            |at: Timestamp| (weather::outdoors(&simulation.calendar, simulation.random, at) * 10.0).round() / 10.0;
        let entry = |number: i64| -> Value {
            if hourly {
                let at = Timestamp::from_millis(begins + (number + 1) * HOUR);
                let condition = weather::condition(&simulation.calendar, simulation.random, at);
                return json!({"datetime": at, "condition": condition, "temperature": warm(at)});
            }
            let date = simulation.calendar.date(Timestamp::from_millis(begins + number * 24 * HOUR));
            let (night, noon, day) = (5, 13, 15);
            let at = |hour: i64| simulation.calendar.at(date, hour * 3_600);
            let condition = weather::condition(&simulation.calendar, simulation.random, at(noon));
            json!({"datetime": at(noon), "condition": condition, "temperature": warm(at(day)), "templow": warm(at(night))})
        };
        let forecast: Vec<Value> = (0..if hourly { 24 } else { 6 }).map(entry).collect();
        let response = self.outcome.response.get_or_insert_with(|| json!({}));
        if let Some(answers) = response.as_object_mut() {
            answers.insert(entity.id.to_string(), json!({ "forecast": forecast }));
        }
        Ok(())
    }
}
