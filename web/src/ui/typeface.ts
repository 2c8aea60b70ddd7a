import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'

/** The characters that the file has. Chinese, and whatever else is missing, comes from the device. */
const latin = 'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212'

/**
 * Loads Inter once the first screen is drawn: until then, and where the person saves data, a typeface of the device stands in that takes
 * up the same room (`base.css`).
 */
export function loadTypeface (): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  if (connection?.saveData === true) return
  requestAnimationFrame(() => setTimeout(() => {
    const face = new FontFace('Inter', `url(${inter}) format('woff2')`, { weight: '100 900', unicodeRange: latin, display: 'swap' })
    face.load().then((loaded) => document.fonts.add(loaded)).catch(() => {})
  }))
}
