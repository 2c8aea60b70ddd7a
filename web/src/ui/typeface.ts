import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import { stillness } from '../core/screen/stillness.js'
import { idle } from './idle.js'

/** The characters in the font file. Chinese and other missing characters come from fonts of the device. */
const latin = 'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212'

/** Where the file that this browser has already loaded is noted. */
const loadedAs = 'typeface'

/**
 * Loads Inter once the first screen is drawn, or the first time when the window is idle. Until then, or if the person saves data, a font of
 * the device that takes up the same space is used (`base.css`). Another font has the whole page laid out again, which waits while an answer
 * grows.
 */
export function loadTypeface (): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  if (connection?.saveData === true) return
  const load = async (): Promise<void> => {
    const face = new FontFace('Inter', `url(${inter}) format('woff2')`, { weight: '100 900', unicodeRange: latin, display: 'swap' })
    await face.load()
    await stillness.reached()
    document.fonts.add(face)
    localStorage.setItem(loadedAs, inter)
  }
  const drawn = new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)) })
  void (localStorage.getItem(loadedAs) === inter ? drawn : idle).then(load).catch(() => {})
}
