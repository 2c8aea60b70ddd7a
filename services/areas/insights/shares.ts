/**
 * Returns whole percentages that add up to 100, by largest remainder: what rounding down leaves over goes to those that lost most by it.
 * All are 0 if there is nothing to share.
 */
export function shares (amounts: number[]): number[] {
  const whole = amounts.reduce((sum, amount) => sum + amount, 0)
  if (!(whole > 0)) return amounts.map(() => 0)
  const exact = amounts.map((amount) => amount / whole * 100)
  const percents = exact.map(Math.floor)
  const left = 100 - percents.reduce((sum, percent) => sum + percent, 0)
  const byRemainder = exact.map((percent, index) => ({ index, lost: percent - Math.floor(percent) })).sort((a, b) =>
    b.lost - a.lost || a.index - b.index)
  const raised = new Set(byRemainder.slice(0, left).map(({ index }) => index))
  return percents.map((percent, index) => raised.has(index) ? percent + 1 : percent)
}

/** Rounds US dollars as they are shown: to a ten-thousandth of a cent. */
export const toMoney = (dollars: number): number => Math.round(dollars * 1e6) / 1e6
