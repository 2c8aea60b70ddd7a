/** Shorter values are not masked, because they would mask words of any text. */
export const shortestKnown = 8
/** How many characters the first search compares. */
export const seedChars = 4
const shortestForm = 10
const shortestLine = 16

/** Returns the parts of the base64 of bytes that do not depend on the bytes around them, for each of the three alignments. */
const base64Of = (bytes: Buffer): string[] => [0, 1, 2].map((shift) =>
  Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64').slice(Math.ceil(shift * 8 / 6), Math.floor((shift + bytes.length) * 8 / 6)))

/** Returns base64 in its standard and URL-safe alphabets. */
const withSafe = (encoded: string[]): string[] => encoded.flatMap((each) => [each, each.replaceAll('+', '-').replaceAll('/', '_')])

/** Returns the usual encodings of a value: in JSON, addresses, markup, shells, hex, and in base64 together with surrounding bytes. */
export function usualForms (value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const percent = encodeURIComponent(Buffer.from(value).toString())
  const bytes = Buffer.from(value)
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const forms = [
    json, JSON.stringify(json).slice(1, -1), percent, percent.replaceAll('%20', '+'),
    percent.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    html.replaceAll('"', '&quot;'), html.replaceAll('"', '&#34;'), html.replaceAll("'", '&#39;'), html.replaceAll("'", '&#x27;'),
    // As Go writes JSON.
    json.replace(/[&<>]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
    value.replaceAll("'", "'\\''"),
    bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...withSafe(base64Of(bytes))
  ].filter((form) => form.length >= shortestForm)
  // Multi-line keys are also shown line by line.
  return [...forms, ...value.split('\n').filter((line) => line.length >= (line === value ? shortestKnown : shortestLine))]
}

/**
 * Returns nested encodings: its JSON in hex and base64, base64 twice, percent-encoding twice, and base64 that a line break interrupts
 * early.
 */
export function rareForms (value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const percent = encodeURIComponent(encodeURIComponent(Buffer.from(value).toString()))
  const encoded = [value, json].flatMap((text) => base64Of(Buffer.from(text)))
  const twice = encoded.flatMap((each) => base64Of(Buffer.from(each)))
  // The first characters of a form must be unbroken, because they are searched first.
  const broken = [...encoded, ...twice].map((each) => each.slice(seedChars - 1))
  const hex = Buffer.from(json).toString('hex')
  return [
    percent, percent.replace(/%(?:25)?[\dA-F]{2}/g, (code) => code.toLowerCase()), hex, hex.toUpperCase(),
    ...withSafe([...encoded, ...twice, ...broken])
  ].filter((form) => form.length >= shortestForm)
}
