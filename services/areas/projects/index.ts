export { createProjects, projectListToWire, projectToWire, type Projects } from './projects.js'
