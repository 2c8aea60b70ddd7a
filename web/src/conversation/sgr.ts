import Anser from 'anser'
import { type Look } from '../core/screen/terminal-text.js'

/** The colours of the colour wheel, one every 60 degrees. */
const hues = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const
type Hue = typeof hues[number] | 'grey' | 'plain'

const steps = [0, 95, 135, 175, 215, 255]

/** Returns a function that turns colour sequences into class names; it keeps the state of one text. */
export function createLook (): Look {
  const anser = new Anser()
  return (parameters) => {
    const state = anser.ansiToJson(`\u001b[${parameters.replaceAll(':', ';')}m`, { use_classes: true }).at(-1)
    if (state === undefined) return ''
    // Anser appends each decoration again, however often it occurs.
    const noted = anser as unknown as { decorations: string[] }
    if (noted.decorations.length > 16) noted.decorations = [...new Set(noted.decorations)]
    // Programs assume that the background of a terminal is black.
    const ground = state.bg === 'ansi-black' ? null : hueOf(state.bg, state.bg_truecolor)
    // Text on a colour is plain: a program cannot know which two colours are readable together.
    const ink = ground === null ? hueOf(state.fg, state.fg_truecolor) : null
    const names = [
      ground === null ? null : `term-on-${ground}`,
      ink === null || ink === 'plain' ? null : `term-${ink}`,
      ...new Set(state.decorations.map((name) => decorations[name] ?? null))
    ]
    return names.filter((name) => name !== null).join(' ')
  }
}

/** Decorations that hide text are left out: a person must see everything that a program prints. */
const decorations: Readonly<Record<string, string>> = {
  bold: 'term-bold', dim: 'term-dim', italic: 'term-italic', underline: 'term-underlined', strikethrough: 'term-struck'
}

/** Returns the nearest colour that is readable in both themes. */
function hueOf (name: string | null, trueColour: string | null): Hue | null {
  if (name === null) return null
  if (name === 'ansi-truecolor') return trueColour === null ? null : nearest(trueColour.split(',').map(Number))
  const index = /^ansi-palette-(\d+)$/.exec(name)?.[1]
  if (index !== undefined) return nearest(ofPalette(Number(index)))
  const plain = name.replace(/^ansi-(?:bright-)?/, '')
  if (plain === 'white') return 'plain'
  if (plain === 'black') return name.includes('bright') ? 'grey' : 'plain'
  return hues.find((hue) => hue === plain) ?? null
}

/** Returns the RGB values of palette colours from 16 on: a cube of 6 × 6 × 6, then greys. */
function ofPalette (index: number): number[] {
  if (index >= 232) return Array.from({ length: 3 }, () => 8 + (index - 232) * 10)
  const place = index - 16
  return [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6].map((step) => steps[step] ?? 0)
}

function nearest ([red = 0, green = 0, blue = 0]: number[]): Hue {
  const most = Math.max(red, green, blue)
  const spread = most - Math.min(red, green, blue)
  if (spread < 48) return most > 70 && most < 190 ? 'grey' : 'plain'
  const sixth = most === red ? ((green - blue) / spread + 6) % 6 : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4
  return hues[Math.round(sixth) % 6] ?? 'plain'
}
