export const times = {
  /** Names the days and months. Clocks are the same in all languages. */
  locale: 'en-GB',
  /** What a day and a clock make together, such as `Sun 20:00`. */
  dayAndClock: (day: string, clock: string): string => `${day} ${clock}`,
  today: (clock: string): string => `today at ${clock}`,
  tomorrow: (clock: string): string => `tomorrow at ${clock}`,
  on: (day: string, clock: string): string => `${day} at ${clock}`,
  seconds: (count: number): string => `${count} s`,
  minutes: (count: number): string => `${count} min`,
  hours: (count: number): string => `${count} h`,
  days: (count: number): string => count === 1 ? '1 day' : `${count} days`
}
