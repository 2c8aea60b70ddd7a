import { formatter } from './formatter.js'

const formatIn = (language: string, digits: { least: number, most: number }) => formatter(() => new Intl.NumberFormat(language, {
  style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', minimumFractionDigits: digits.least, maximumFractionDigits: digits.most
}))

/**
 * Returns a function that formats US dollars as a language writes them: `$1.50`, `1,50 $`. Amounts below `small` have four decimals.
 */
export function dollarsIn (language: string, small = 0.1): (amount: number) => string {
  const [cents, fine] = [formatIn(language, { least: 2, most: 2 }), formatIn(language, { least: 4, most: 4 })]
  return (amount) => (amount > 0 && amount < small ? fine : cents).format(amount)
}

/** Returns a function that formats a price: `$10`, `$2.50`, `$0.075`. */
export function pricesIn (language: string): (amount: number) => string {
  const [whole, cents] = [formatIn(language, { least: 0, most: 0 }), formatIn(language, { least: 2, most: 4 })]
  return (amount) => (Number.isInteger(amount) ? whole : cents).format(amount)
}
