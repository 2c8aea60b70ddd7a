import { type Words } from '../en/index.js'

export const times: Words['times'] = {
  locale: 'de',
  dayAndClock: (day, clock) => `${day} ${clock}`,
  today: (clock) => `heute um ${clock}`,
  tomorrow: (clock) => `morgen um ${clock}`,
  on: (day, clock) => `${day} um ${clock}`,
  seconds: (count) => `${count} s`,
  minutes: (count) => `${count} min`,
  hours: (count) => `${count} h`,
  days: (count) => count === 1 ? '1 Tag' : `${count} Tage`
}
