import { type Words } from '../en/index.js'

export const times: Words['times'] = {
  locale: 'zh-CN',
  dayAndClock: (day, clock) => `${day} ${clock}`,
  today: (clock) => `今天 ${clock}`,
  tomorrow: (clock) => `明天 ${clock}`,
  on: (day, clock) => `${day} ${clock}`,
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分钟`,
  hours: (count) => `${count} 小时`,
  days: (count) => `${count} 天`
}
