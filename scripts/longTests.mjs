// The long tests: other people's clients, tutorials, recipes, simulations, crashes and faults, and the page in a browser.
import { runTests } from './runTests.mjs'

process.exit(runTests(['long', 'browser'], process.argv.slice(2)))
