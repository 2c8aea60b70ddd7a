import qrcode from 'qrcode-generator'

/** The width of the empty border, in modules, as the standard requires. */
const quiet = 4
/** Characters for two modules, one above the other. A light module is drawn: the upper one adds 2 to the index, the lower one 1. */
const halves = [' ', '▄', '▀', '█']

/** Returns a text as a QR code made of characters, two modules in each: light ones on a dark background. `isColoured` sets both colours. */
export function qrText (text: string, isColoured: boolean): string {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const isLight = (x: number, y: number): boolean => x < 0 || y < 0 || x >= count || y >= count || !code.isDark(y, x)
  const places = Array.from({ length: count + 2 * quiet }, (_, place) => place - quiet)
  return places.filter((y) => (y + quiet) % 2 === 0).map((y) => {
    const line = places.map((x) => halves[(isLight(x, y) ? 2 : 0) + (isLight(x, y + 1) ? 1 : 0)]).join('')
    return isColoured ? `\x1b[97;40m${line}\x1b[0m` : line
  }).join('\n')
}
