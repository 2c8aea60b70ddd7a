/** The files and words of this version of the app; the service defines them before this script (routes/pages.ts). */
export const build = appBuild
/** The path of the built files. */
export const folder = '/static/app/'
