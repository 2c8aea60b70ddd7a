import { lazy } from '../ui/lazy.js'
// Also the styles of its fields, which would be another request.
import '../ui/field.css'
import './setup.css'

// What is shown until a model is connected. Most starts have one, so this is loaded when it is first shown.
export const SetupCard = lazy(async () => (await import('./SetupCard.js')).SetupCard, { waiting: null, missing: () => null, isBrief: true })
export const TourMore = lazy(async () => (await import('./TourMore.js')).TourMore, { waiting: null, missing: () => null, isBrief: true })
