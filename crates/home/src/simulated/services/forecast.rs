//! The weather to come: what the simulated sky will really do.

use protocol::Timestamp;
use serde_json::{Value, json};

use super::{Doing, data::Data};
use crate::{
    HouseError,
    simulated::{furniture::Piece, nature},
};

const HOUR: i64 = 3_600_000;

impl Doing<'_> {
    pub(super) fn forecast(&mut self, piece: &Piece, data: Data<'_>) -> Result<(), HouseError> {
        let hourly = match data.needed_text("type")? {
            "hourly" => true,
            "daily" => false,
            other => return Err(HouseError::Invalid(format!("`type` is daily or hourly, not {other}"))),
        };
        let (world, begins) = (self.world, self.world.now.as_millis() / HOUR * HOUR);
        let warm = |at: Timestamp| (nature::outdoors(&world.calendar, world.chance, at) * 10.0).round() / 10.0;
        let entry = |number: i64| -> Value {
            if hourly {
                let at = Timestamp::from_millis(begins + (number + 1) * HOUR);
                let condition = nature::condition(&world.calendar, world.chance, at);
                return json!({"datetime": at, "condition": condition, "temperature": warm(at)});
            }
            let date = world.calendar.date(Timestamp::from_millis(begins + number * 24 * HOUR));
            let (night, noon, day) = (5, 13, 15);
            let at = |hour: i64| world.calendar.at(date, hour * 3_600);
            let condition = nature::condition(&world.calendar, world.chance, at(noon));
            json!({"datetime": at(noon), "condition": condition, "temperature": warm(at(day)), "templow": warm(at(night))})
        };
        let forecast: Vec<Value> = (0..if hourly { 24 } else { 6 }).map(entry).collect();
        let response = self.outcome.response.get_or_insert_with(|| json!({}));
        if let Some(answers) = response.as_object_mut() {
            answers.insert(piece.id.to_owned(), json!({ "forecast": forecast }));
        }
        Ok(())
    }
}
