/** The addresses of the app. */
export const places = {
  start: '/',
  newChat: '/new',
  session: (id: string): string => `/session/${encodeURIComponent(id)}`,
  inbox: '/inbox',
  tasks: '/tasks',
  task: (id: string): string => `/tasks?task=${encodeURIComponent(id)}`,
  skills: '/skills',
  memory: '/memory',
  usage: '/usage',
  models: '/models',
  profiles: '/profiles',
  settings: '/settings'
} as const
