const failed = new Set<HTMLLinkElement>()

// These events do not bubble, so they are captured.
addEventListener(
  'error', ({ target }) => { if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failed.add(target) }, true
)

/** Reloads style sheets that failed, because their importers request them only once. Rejects if one fails again. */
export async function loadMissingStyles (): Promise<void> {
  await Promise.all([...failed].map(async (link) => {
    const again = document.importNode(link)
    const loaded = new Promise((resolve, reject) => {
      again.addEventListener('load', resolve)
      again.addEventListener('error', () => reject(new Error(`${again.href} is missing`)))
    })
    link.replaceWith(again)
    failed.delete(link)
    await loaded
  }))
}
