// node modeler.mjs FILE: validates element templates for Camunda 7.
import { readFileSync } from 'node:fs';
import { validateAll } from '@bpmn-io/element-templates-validator';

const { results } = validateAll(JSON.parse(readFileSync(process.argv[2])));
const wrong = results.filter((one) => !one.valid);
for (const one of wrong) console.error(one.object?.id, JSON.stringify(one.errors, null, 1));
if (wrong.length > 0) process.exit(1);
console.log(`${results.length} templates are valid`);
