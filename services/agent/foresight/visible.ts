// eslint-disable-next-line no-control-regex, no-misleading-character-class -- it is a list of exactly those
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu

/** A text with signs in the places of characters that a screen does not show, or that turn the order of what it shows; tabs and line ends stay. */
export function visible (text: string): string {
  return text.replace(unseen, (character) => {
    const code = character.codePointAt(0)!
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    return code === 0x7f ? '\u2421' : `\\u{${code.toString(16)}}`
  })
}
