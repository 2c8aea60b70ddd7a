/** How long a window rests after its load before it fetches what its first screen does not need. */
const restMs = 2_000

/** Resolves once the page is loaded and has rested: from then on, code may be loaded ahead of its use. */
export const idle: Promise<void> = (async () => {
  if (document.readyState !== 'complete') await new Promise((resolve) => { addEventListener('load', resolve, { once: true }) })
  await new Promise((resolve) => { setTimeout(resolve, restMs) })
})()
