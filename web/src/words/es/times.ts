import { type Words } from '../en/index.js'

const at = (clock: string): string => `${clock.startsWith('1:') ? 'a la' : 'a las'} ${clock}`

export const times: Words['times'] = {
  locale: 'es',
  dayAndClock: (day, clock) => `${day} ${clock}`,
  today: (clock) => `hoy ${at(clock)}`,
  tomorrow: (clock) => `mañana ${at(clock)}`,
  on: (day, clock) => `${day} ${at(clock)}`,
  seconds: (count) => `${count} s`,
  minutes: (count) => `${count} min`,
  hours: (count) => `${count} h`,
  days: (count) => count === 1 ? '1 día' : `${count} días`
}
