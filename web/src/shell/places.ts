/** The addresses of the app. */
export const places = {
  start: '/',
  newChat: '/new',
  session: (id: string): string => `/session/${encodeURIComponent(id)}`,
  away: '/away',
  inbox: '/inbox',
  tasks: '/tasks',
  task: (id: string): string => `/tasks?task=${encodeURIComponent(id)}`,
  hooks: '/tasks/hooks',
  hook: (id: string): string => `/tasks/hooks?hook=${encodeURIComponent(id)}`,
  attempts: '/attempts',
  attemptsAt: (id: string): string => `/attempts?attempts=${encodeURIComponent(id)}`,
  skills: '/skills',
  memory: '/memory',
  usage: '/usage',
  models: '/models',
  profiles: '/profiles',
  settings: '/settings'
} as const
