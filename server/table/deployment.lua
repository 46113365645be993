-- Deployments.
local L = require "server.lines"

return {
  dtos = {
    DeploymentDto = {
      { "id", "id", "id" }, { "name", "text", "name" }, { "source", "text", "source" }, { "deploymentTime", "time", "time" },
      { "tenantId", "text", "tenant" }, { "links", "empty" },
    },
    DeploymentResourceDto = { { "id", "text" }, { "name", "text" }, { "deploymentId", "id" }, written = true },
    DeploymentWithDefinitionsDto = {
      extends = "DeploymentDto", { "deployedProcessDefinitions", "map" }, { "deployedCaseDefinitions", "null" },
      { "deployedDecisionDefinitions", "map" }, { "deployedDecisionRequirementsDefinitions", "null" }, written = true,
    },
  },
  queries = {
    deployment = {
      verb = "deployments", dto = "DeploymentDto",
      params = {
        { "id", "id", "id" }, { "name", "text", "name" }, { "nameLike", "like", "name_like" }, { "source", "text", "source" },
        { "withoutSource", "none", "source" }, L.tenants_or "includeDeploymentsWithoutTenantId", L.no_tenant,
            L.with_none "includeDeploymentsWithoutTenantId",
        { "after", "time", "time_after" }, { "before", "time", "time_before" },
      },
      sorts = { id = "id", name = "name", deploymentTime = "time", tenantId = "tenant" },
    },
  },
  operations = {
    { "GET", "/deployment", "list", query = "deployment", "Lists deployments." },
    { "GET", "/deployment/count", "count", query = "deployment", "Counts deployments." },
    { "POST", "/deployment/create", "deployment_create", "Deploys files: each part of the form with a file name is a resource.",
      role = "deploy", multipart = true, returns = "DeploymentWithDefinitionsDto",
      parts = { "deployment-name", "deployment-source", "enable-duplicate-filtering", "deploy-changed-only", "tenant-id",
        "deployment-activation-time" } },
    { "GET", "/deployment/registered", "deployment_registered", "The deployments whose jobs a deployment-aware executor takes.",
      returns = "[text]" },
    { "GET", "/deployment/{id}", "find", query = "deployment", "One deployment.",
      missing = "Deployment with id '%s' does not exist" },
    { "DELETE", "/deployment/{id}", "deployment_delete", "Deletes a deployment with its definitions.", role = "deploy",
      args = { { "cascade", "flag" }, { "skipCustomListeners", "flag" },
        { "skipIoMappings", "flag" } },
      missing = "Deployment with id '%s' does not exist" },
    { "GET", "/deployment/{id}/resources", "deployment_resources", "Its resources.", returns = "[DeploymentResourceDto]",
      missing = "Deployment resources for deployment id '%s' do not exist." },
    { "GET", "/deployment/{id}/resources/{resourceId}", "deployment_resource", "One resource.", returns = "DeploymentResourceDto",
      missing = "Deployment resources for deployment id '%s' do not exist." },
    { "GET", "/deployment/{id}/resources/{resourceId}/data", "deployment_data", "The bytes of a resource.", returns = "bytes",
      missing = "Deployment resource for deployment id '%s' does not exist." },
    { "POST", "/deployment/{id}/redeploy", "deployment_redeploy", "Deploys resources of a deployment again.", role = "deploy",
      body = { { "resourceIds", "texts" }, { "resourceNames", "texts" }, { "source", "text" } },
      returns = "DeploymentWithDefinitionsDto", missing = "Deployment with id '%s' does not exist" },
  },
}
