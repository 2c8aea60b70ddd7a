// Applies the theme of this device before anything is drawn. If the service serves the site, it is the app's (web/src/shell/appearance.ts).
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser that stores nothing uses the system's theme.
}
