import { formatter } from './formatter.js'

const units = [['day', 86_400], ['hour', 3_600], ['minute', 60]] as const

/**
 * Returns a function that says a number of seconds in the words of a language: `1.4 seconds`, `1 minute`, `3 hours`. A larger unit must not
 * hide the number: 75 seconds stay seconds.
 */
export function spansIn (locale: string): (seconds: string | number) => string {
  const formatters = new Map([...units.map(([unit]) => unit), 'second'].map((unit) =>
    [unit, formatter<number>(() => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 }))]))
  return (said) => {
    const seconds = Number(said)
    const [unit, length] = units.find(([, length]) => isSaidIn(length, seconds)) ?? ['second', 1]
    return formatters.get(unit)?.format(seconds / length) ?? String(said)
  }
}

/** Whether a unit is precise enough: a whole multiple of it, or so many that its tenths are. */
const isSaidIn = (unitS: number, seconds: number): boolean =>
  seconds >= 10 * unitS || (seconds >= unitS && Math.round(seconds) % unitS === 0)
