import { formatter } from './formatter.js'

/** Returns a function that formats US dollars as a language writes them: `$1.50`, `1,50 $`. Amounts below ten cents have four decimals. */
export function dollarsIn (language: string): (amount: number) => string {
  const withDecimals = (digits: number) => formatter(() => new Intl.NumberFormat(language, {
    style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', minimumFractionDigits: digits, maximumFractionDigits: digits
  }))
  const [cents, small] = [withDecimals(2), withDecimals(4)]
  return (amount) => (amount > 0 && amount < 0.1 ? small : cents).format(amount)
}
