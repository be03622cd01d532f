//! Who is told what happens; by default there is no listener.

use std::{fmt, sync::Arc};

use crate::{Measurement, Meter, Tracer};

/// The meter and the tracer, if there are any. Cheap to clone.
#[derive(Clone, Default)]
pub struct Observers {
    /// Takes measurements.
    pub meter: Option<Arc<dyn Meter>>,
    /// Takes spans.
    pub tracer: Option<Arc<Tracer>>,
}

impl Observers {
    /// Hands on a measurement; it is only made if there is a meter.
    pub fn measure<'a>(&self, measurement: impl FnOnce() -> Measurement<'a>) {
        if let Some(meter) = &self.meter {
            meter.measure(measurement());
        }
    }
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observers")
            .field("meter", &self.meter.is_some())
            .field("tracer", &self.tracer.is_some())
            .finish()
    }
}
