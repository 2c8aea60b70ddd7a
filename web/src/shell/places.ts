/** Where the app lives; its addresses are below. */
export const base = location.pathname.startsWith('/next') ? '/next' : ''

/** Addresses of the app, without its base. */
export const places = {
  start: '/',
  session: (id: string): string => `/session/${encodeURIComponent(id)}`,
  inbox: '/inbox',
  tasks: '/tasks',
  skills: '/skills',
  memory: '/memory',
  usage: '/usage',
  models: '/models',
  profiles: '/profiles',
  settings: '/settings'
} as const
