export { createChecks, type Checks } from './checks.js'
export { createSiteHere } from './here.js'
export { createSitesElsewhere } from './elsewhere.js'
export { type CheckSite, type SiteCheck } from './site.js'
