export const times = {
  /** Gives the names of days and months. Times look the same in all languages. */
  locale: 'en-GB',
  /** Joins a day and a time, such as `Sun 20:00`. */
  dayAndClock: (day: string, clock: string): string => `${day} ${clock}`,
  today: (clock: string): string => `today at ${clock}`,
  tomorrow: (clock: string): string => `tomorrow at ${clock}`,
  on: (day: string, clock: string): string => `${day} at ${clock}`,
  seconds: (count: number): string => `${count} s`,
  minutes: (count: number): string => `${count} min`,
  hours: (count: number): string => `${count} h`,
  days: (count: number): string => count === 1 ? '1 day' : `${count} days`
}
