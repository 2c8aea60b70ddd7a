// Runs the app's script once a stored home screen has painted its own box: from this device, both are there at once, and the script could
// run first. A hidden page paints nothing.

const { href } = document.querySelector('link[rel="modulepreload"]')
const begin = () => import(/* @vite-ignore */ href)
requestAnimationFrame(() => setTimeout(begin))
document.addEventListener('visibilitychange', begin, { once: true })
if (document.visibilityState === 'hidden') begin()
