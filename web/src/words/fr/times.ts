import { type Words } from '../en/index.js'

export const times: Words['times'] = {
  locale: 'fr',
  dayAndClock: (day, clock) => `${day} ${clock}`,
  today: (clock) => `aujourd’hui à ${clock}`,
  tomorrow: (clock) => `demain à ${clock}`,
  on: (day, clock) => `${day} à ${clock}`,
  seconds: (count) => `${count} s`,
  minutes: (count) => `${count} min`,
  hours: (count) => `${count} h`,
  days: (count) => count < 2 ? `${count} jour` : `${count} jours`
}
