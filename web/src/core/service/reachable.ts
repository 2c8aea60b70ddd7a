/** Whether other devices can open an address: false for addresses of this computer alone. */
export function isReachable (hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return !(name === 'localhost' || name.endsWith('.localhost') || /^127\./.test(name) || name === '::1' || name === '0.0.0.0' ||
    name === '::' || name.startsWith('::ffff:127.') || /^::ffff:7f/.test(name))
}
