import { type Words } from '../en/index.js'

export const times: Words['times'] = {
  locale: 'ja',
  dayAndClock: (day, clock) => `${day} ${clock}`,
  today: (clock) => `今日 ${clock}`,
  tomorrow: (clock) => `明日 ${clock}`,
  on: (day, clock) => `${day} ${clock}`,
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分`,
  hours: (count) => `${count} 時間`,
  days: (count) => `${count} 日`
}
