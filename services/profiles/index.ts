export { createProfiles, type Profile, type Profiles } from './profiles.js'
export { readProfileSettings, type ProfileSettings } from './settings.js'
export { parseDotenv } from './dotenv.js'
